#include "functions/domains/domain-name.h"

#include <string.h>

#include "functions/lib/dns/name.h"
#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"

/* Mail domains have no underscore (RFC 5321 section 4.1.2). A single label is a top-level domain or
 * a host of a private network, so at least two labels are required. */
rt_status eds_domain_name_read(
	struct rt_ctx *ctx, const char *field, const char *given, const char **name)
{
	*name = eds_domain_normalize(ctx, given, strlen(given));
	if (*name != NULL && strchr(*name, '_') == NULL && strchr(*name, '.') != NULL)
		return RT_OK;
	rt_fail_field(
		ctx, field, "two labels or more, of letters, digits and hyphens, are required");
	return rt_fail(ctx, RT_BAD_INPUT, "name-invalid",
		"%s must be a mail domain like example.com: labels of letters, digits and "
		"hyphens, 253 octets at most",
		field);
}

/* No mail is received below arpa. */
rt_status eds_domain_name_check_public(struct rt_ctx *ctx, const char *field, const char *name)
{
	const char *top = strrchr(name, '.') + 1;

	if (eds_dns_name_is_public(name) && strcmp(top, "arpa") != 0)
		return RT_OK;
	rt_fail_field(ctx, field, "a name of the public DNS is required");
	return rt_fail(ctx, RT_BAD_INPUT, "name-invalid",
		"%s must be a name of the public DNS: .%s is not part of it, or holds no mail "
		"domains",
		field, top);
}
