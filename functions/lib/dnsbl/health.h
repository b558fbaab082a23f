/* Whether a blocklist works, by its two test addresses (RFC 5782 section 5): 127.0.0.2 is listed
 * and 127.0.0.1 is not.
 *
 * An answer that speaks for the list is kept by the process for as long as it lives, five minutes
 * at most, as a resolver would: it is about the list and not about anybody's domain. One that
 * speaks against it is not, nor one that did not come, so that a list is well again as soon as it
 * is.
 */
#ifndef EDS_DNSBL_HEALTH_H
#define EDS_DNSBL_HEALTH_H

#include "functions/lib/dns/dns.h"
#include "runtime/config/config.h"

/* Asks ahead what is not kept. */
void eds_dnsbl_health_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, enum rt_dnsbl_kind kind);

/* Why an answer of the list is worthless, NULL when it is not: that an address is not listed where
 * the list seems dead, that it is listed where the list seems to name every address. A test that
 * fails for now proves nothing. */
const char *eds_dnsbl_sickness(
	struct rt_ctx *ctx, struct eds_dns *dns, enum rt_dnsbl_kind kind, bool is_listed);

#endif
