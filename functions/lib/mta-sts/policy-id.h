/* The id of a policy, which is in the TXT record of _mta-sts.DOMAIN (RFC 8461 section 3.1):
 *
 *     20260131235959k3f7q2m9xw4dz5ab
 *
 * A time for people to read, and 80 random bits: an id seen in DNS proves who owns the domain, so
 * none is ever used again. */
#ifndef EDS_MTA_STS_POLICY_ID_H
#define EDS_MTA_STS_POLICY_ID_H

#include "runtime/ctx.h"

enum {
	EDS_POLICY_ID_MAX = 32, /* letters and digits (RFC 8461 section 3.1) */
};

char *eds_policy_id_new(struct rt_ctx *ctx, int64_t now_ms);

#endif
