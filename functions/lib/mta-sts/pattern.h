/* MX patterns of an MTA-STS policy (RFC 8461 sections 3.2, 4.1): a host name, or "*." and a name.
 * The asterisk stands for exactly one label.
 *
 *     mail.example.com    *.example.net  (mx1.example.net, not example.net, not a.b.example.net)
 */
#ifndef EDS_MTA_STS_PATTERN_H
#define EDS_MTA_STS_PATTERN_H

#include "runtime/ctx.h"

/* True for a valid pattern of a policy file, in upper or lower case: labels of letters, digits and
 * hyphens (RFC 5321 section 4.1.2: no underscore), at most 253 octets after "*.", no final dot, no
 * IP address. */
RT_MUST_USE bool eds_mta_sts_pattern_valid(const char *pattern);

/* Converts a pattern as an administrator enters it (U-labels or A-labels, perhaps with a final dot)
 * to a valid one in lower case; NULL when it is not a pattern. */
char *eds_mta_sts_pattern_normalize(struct rt_ctx *ctx, const char *text, size_t length);

/* True when the valid pattern matches the host (A-labels, no final dot); ignores case. */
RT_MUST_USE bool eds_mta_sts_pattern_matches(const char *pattern, const char *host);

#endif
