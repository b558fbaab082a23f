#include "functions/lib/report-address.h"

#include <string.h>

#include "functions/lib/dns/name.h"
#include "runtime/config/config.h"

const char *eds_report_address(struct rt_ctx *ctx, const char *domain_id)
{
	return rt_printf(ctx, "%s@%s", domain_id, rt_config()->report_domain);
}

const char *eds_report_url(struct rt_ctx *ctx, const char *domain_id)
{
	const char *base = rt_config()->base_url;

	if (strncmp(base, "https://", strlen("https://")) != 0)
		return NULL;
	return rt_printf(ctx, "%s/tls-reports/%s", base, domain_id);
}

bool eds_report_domain_is_public(void)
{
	return eds_dns_name_is_public(rt_config()->report_domain);
}
