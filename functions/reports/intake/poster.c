#include "functions/reports/intake/poster.h"
#include "functions/lib/mail/domain.h"

#include <string.h>

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/dmarc.h"

/* The domain of the author according to the report itself; NULL when the report names no domain. */
static const char *claimed(struct rt_ctx *ctx, const struct eds_report *report)
{
	const char *name = eds_address_domain(ctx, report->email);

	if (name == NULL)
		name = eds_domain_normalize(ctx, report->org, strlen(report->org));
	return name != NULL && strchr(name, '.') != NULL ? name : NULL;
}

/* The organizational domain of the name; the name itself when DNS does not tell it. */
static const char *org_domain(struct rt_ctx *ctx, struct eds_dns *dns, const char *name)
{
	const char *org = name;

	return eds_dmarc_org_domain(ctx, dns, name, &org) ? org : name;
}

void report_poster_claim(struct rt_ctx *ctx, struct eds_dns *dns, int64_t until_ms,
	const struct eds_report *report, struct report_sender *sender)
{
	const char *name = claimed(ctx, report);
	int64_t deadline_ms = ctx->deadline_ms;

	*sender = (struct report_sender){.domain = "", .spf = "", .dkim = "", .dmarc = ""};
	if (name == NULL)
		return;
	if (ctx->deadline_ms > until_ms)
		ctx->deadline_ms = until_ms;
	sender->domain = org_domain(ctx, dns, name);
	ctx->deadline_ms = deadline_ms;
}
