/* The libcurl handle of one try: its settings and its outcome. Only the files of this folder
 * include this header. */
#ifndef EDS_FETCH_HANDLE_H
#define EDS_FETCH_HANDLE_H

#include <curl/curl.h>

#include "functions/lib/fetch/fetch.h"

/* Sets up fetch->easy for the current address and the time left. The handle is new or reset, or an
 * earlier try of this fetch has used it. False when out of memory. */
bool eds_fetch_prepare(struct eds_fetch *fetch, int left_ms);

/* The certificate in fetch->leaf: the first function frees it (NULL is allowed), the second returns
 * whether it names the host. */
void eds_fetch_drop_leaf(void *leaf);
bool eds_fetch_leaf_names(void *leaf, const char *host);

enum eds_fetch_outcome eds_fetch_outcome_of(const struct eds_fetch *fetch, CURLcode code);

#endif
