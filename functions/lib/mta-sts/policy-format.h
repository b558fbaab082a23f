/* The policy file of a domain (RFC 8461 section 3.2), as it is served:
 *
 *     version: STSv1
 *     mode: testing
 *     mx: *.example.com
 *     max_age: 604800
 */
#ifndef EDS_MTA_STS_POLICY_FORMAT_H
#define EDS_MTA_STS_POLICY_FORMAT_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* Formats the file with LF line ends and the patterns in their order; mode none has no patterns. */
char *eds_policy_format(struct rt_ctx *ctx, enum eds_policy_mode mode, int64_t max_age_s,
	const struct eds_mx_patterns *patterns, size_t *length);

#endif
