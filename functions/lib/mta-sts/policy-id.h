/* The id of a policy, which is in the TXT record of _mta-sts.DOMAIN (RFC 8461 section 3.1):
 *
 *     20260131235959k3f7q2m9xw4dz5ab
 *
 * The time is for people to read; 80 random bits make each id unique. An id seen in DNS proves who
 * owns the domain, so no id is used twice. */
#ifndef EDS_MTA_STS_POLICY_ID_H
#define EDS_MTA_STS_POLICY_ID_H

#include "runtime/ctx.h"

enum {
	EDS_POLICY_ID_MAX = 32, /* maximum number of letters and digits of an id (RFC 8461 section
				 * 3.1) */
};

char *eds_policy_id_new(struct rt_ctx *ctx, int64_t now_ms);

#endif
