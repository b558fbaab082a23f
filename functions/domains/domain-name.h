/* The name of a mail domain as a user writes it. */
#ifndef EDS_DOMAINS_DOMAIN_NAME_H
#define EDS_DOMAINS_DOMAIN_NAME_H

#include "runtime/ctx.h"

/* Converts `given`, in U-labels or A-labels, to lower-case A-labels without a final dot. Fails with
 * RT_BAD_INPUT "name-invalid" and a sentence that names the request's field. */
RT_MUST_USE rt_status eds_domain_name_read(
	struct rt_ctx *ctx, const char *field, const char *given, const char **name);

/* Refuses, with RT_BAD_INPUT "name-invalid", a name that the public DNS never has: the operator's
 * resolver may know names of its private network, and these must not be shown. Also refuses a name
 * below arpa, which is no mail domain. */
RT_MUST_USE rt_status eds_domain_name_check_public(
	struct rt_ctx *ctx, const char *field, const char *name);

#endif
