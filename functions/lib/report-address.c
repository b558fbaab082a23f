#include "functions/lib/report-address.h"

#include <string.h>

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
