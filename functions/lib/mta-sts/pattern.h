/* MX patterns of an MTA-STS policy (RFC 8461 sections 3.2, 4.1): a host name, or "*." and a name,
 * which stands for exactly one label before it.
 *
 *     mail.example.com    *.example.net  (mx1.example.net, not example.net, not a.b.example.net)
 */
#ifndef EDS_MTA_STS_PATTERN_H
#define EDS_MTA_STS_PATTERN_H

#include "runtime/ctx.h"

/* A pattern as a policy file may hold it, in either case: labels of letters, digits and hyphens
 * (RFC 5321 section 4.1.2: no underscore), 253 octets at most behind "*.", no final dot, no
 * address. */
RT_MUST_USE bool eds_mta_sts_pattern_valid(const char *pattern);

/* A pattern as an administrator gives it, U-labels or A-labels, perhaps with a final dot, to a
 * valid one in lower case; NULL when it is none. */
char *eds_mta_sts_pattern_normalize(struct rt_ctx *ctx, const char *text, size_t length);

/* Whether a host, in A-labels without a final dot, is one that the valid pattern stands for,
 * whatever the case of either. */
RT_MUST_USE bool eds_mta_sts_pattern_matches(const char *pattern, const char *host);

#endif
