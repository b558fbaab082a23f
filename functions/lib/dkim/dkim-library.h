/* libopendkim, for one signature of one message: does it fit the header and the key?
 *
 * The only place that knows the library. It is handed what dkim-feed.h made of the message and a
 * key record of our own making, never a stranger's text that was not read before; what a
 * signature's tags and a key record mean is decided outside.
 */
#ifndef EDS_DKIM_LIBRARY_H
#define EDS_DKIM_LIBRARY_H

#include "functions/lib/dkim/dkim-feed.h"
#include "functions/lib/dkim/key-record.h"

struct eds_library_result {
	const char *refused; /* "" or why it gave no verdict, a sentence */
	enum eds_dkim_hash header_hash;
};

void eds_library_verify(const struct eds_signature *signature, const struct eds_feed *header,
	const struct eds_key_record *key, struct eds_library_result *result);

/* False when the library cannot hold the key. */
bool eds_library_holds(const struct eds_key_record *key);

#endif
