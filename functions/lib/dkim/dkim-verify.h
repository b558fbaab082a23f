/* DKIM verification by libopendkim, with the guards it needs.
 *
 * Only the sandbox's child (and tests) may use this file: a crafted message can make the library
 * abort.
 */
#ifndef EDS_DKIM_VERIFY_H
#define EDS_DKIM_VERIFY_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/dns/lookup.h"

/* Verifies the signatures of a message. message: header and body as received; lines end with CRLF
 * or LF. received_at_ms: the time, in epoch ms, that x= and t= are compared with. */
void eds_dkim_verify(struct rt_ctx *ctx, const struct eds_lookup *lookup, const char *message,
	size_t length, int64_t received_at_ms, struct eds_dkim_result *result);

#endif
