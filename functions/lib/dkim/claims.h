/* Whether what a verifier says of a message's signatures can be true of that message.
 *
 * The verifier reads hostile octets; one that was taken over may say anything. A signature counts
 * as valid only when the message carries it, with this d= and s=, and its key was really found in
 * DNS, by the resolver of the process that asks this.
 */
#ifndef EDS_DKIM_CLAIMS_H
#define EDS_DKIM_CLAIMS_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/mail/header.h"

/* answers: all that DNS has said about this message. */
bool eds_dkim_claims_hold(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_dns_answer *const *answers, size_t count,
	const struct eds_dkim_result *result);

/* Drops all that was said of signatures when a claim does not hold by what DNS said in this event,
 * and is then false: the caller may log it. */
bool eds_dkim_believe(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_header *header,
	struct eds_dkim_result *result);

#endif
