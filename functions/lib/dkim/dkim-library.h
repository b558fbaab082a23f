/* Uses libopendkim to check one signature of one message: whether the signature matches the header
 * and the key.
 *
 * No other file uses the library. It gets the fields of dkim-feed.h and a key record that we write
 * ourselves, never unchecked text from a message or from DNS; our own code interprets the
 * signature's tags and the key record.
 */
#ifndef EDS_DKIM_LIBRARY_H
#define EDS_DKIM_LIBRARY_H

#include "functions/lib/dkim/dkim-feed.h"
#include "functions/lib/dkim/key-record.h"

struct eds_library_result {
	const char *refused; /* a sentence that says why the library gave no verdict; "" if it gave
			      * one */
	enum eds_dkim_hash header_hash;
};

void eds_library_verify(const struct eds_signature *signature, const struct eds_feed *header,
	const struct eds_key_record *key, struct eds_library_result *result);

/* False when the key is too large for the library. */
bool eds_library_holds(const struct eds_key_record *key);

#endif
