/* Checks whether a blocklist works, by its two test addresses (RFC 5782 section 5): 127.0.0.2 must
 * be listed and 127.0.0.1 must not.
 *
 * The process caches a good test answer for its TTL, five minutes at most, as a resolver would: the
 * answer is about the list, not about a customer's domain. Bad and missing answers are not cached,
 * so that a list counts again as soon as it recovers.
 */
#ifndef EDS_DNSBL_HEALTH_H
#define EDS_DNSBL_HEALTH_H

#include "functions/lib/dns/dns.h"
#include "runtime/config/config.h"

/* Sends the questions for the test addresses, except those with cached answers, and does not
 * wait. */
void eds_dnsbl_health_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, enum rt_dnsbl_kind kind);

/* Returns why the list's answer about an address is worthless; NULL when the answer counts.
 * is_listed: whether the answer to judge says "listed". The answer "not listed" is worthless when
 * the list seems dead, and the answer "listed" is worthless when the list seems to contain every
 * address. A test that fails temporarily proves nothing. */
const char *eds_dnsbl_sickness(
	struct rt_ctx *ctx, struct eds_dns *dns, enum rt_dnsbl_kind kind, bool is_listed);

#endif
