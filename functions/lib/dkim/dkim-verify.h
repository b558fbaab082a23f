/* DKIM verification by libopendkim, with the guards it needs.
 *
 * Only for the sandbox's child (and tests): a crafted message can make the library abort.
 */
#ifndef EDS_DKIM_VERIFY_H
#define EDS_DKIM_VERIFY_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/dns/lookup.h"

/* message: header and body as received, lines ending with CRLF or LF. Compares x= and t= with
 * received_at_ms (since 1970). */
void eds_dkim_verify(struct rt_ctx *ctx, const struct eds_lookup *lookup, const char *message,
	size_t length, int64_t received_at_ms, struct eds_dkim_result *result);

#endif
