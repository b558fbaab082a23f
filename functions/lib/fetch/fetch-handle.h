/* libcurl's handle of one try: what it may do, and what came of it. Only the files of this folder
 * include it. */
#ifndef EDS_FETCH_HANDLE_H
#define EDS_FETCH_HANDLE_H

#include <curl/curl.h>

#include "functions/lib/fetch/fetch.h"

/* Sets up fetch->easy, which is fresh or reset, for its address and the time it has left. False
 * when memory is out. */
bool eds_fetch_prepare(struct eds_fetch *fetch, int left_ms);

enum eds_fetch_outcome eds_fetch_outcome_of(const struct eds_fetch *fetch, CURLcode code);

#endif
