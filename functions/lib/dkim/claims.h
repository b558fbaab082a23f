/* Checks whether a verifier's claims about a message's signatures can be true.
 *
 * The verifier reads hostile octets; if a message takes the verifier over, the verifier may claim
 * anything. A claim of a valid signature counts only when the message has a signature with the
 * claimed d= and s=, and the resolver of the calling process found the key of this signature in
 * DNS.
 */
#ifndef EDS_DKIM_CLAIMS_H
#define EDS_DKIM_CLAIMS_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/mail/header.h"

/* True when the claims in the result can be true for a message with this header. answers: all DNS
 * answers of the message's event. */
bool eds_dkim_claims_hold(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_dns_answer *const *answers, size_t count,
	const struct eds_dkim_result *result);

/* Checks the claims against the DNS answers of this event. If a claim is false, drops all signature
 * results and returns false, so that the caller can log it. */
bool eds_dkim_believe(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_header *header,
	struct eds_dkim_result *result);

#endif
