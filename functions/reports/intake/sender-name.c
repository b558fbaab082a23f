#include "functions/reports/intake/sender-name.h"

#include <string.h>

#include "functions/lib/dns/name.h"
#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"

static bool is_within(const char *name, const char *domain)
{
	return name != NULL && eds_dns_name_covers(domain, name);
}

/* True for "Yahoo" and yahoo.com, or "AMAZON-SES" and amazonses.com: the letters and digits of org
 * equal those of the domain's first label. */
static bool is_named_like(const char *org, const char *domain)
{
	const char *at = domain;

	for (; *org != '\0'; org++) {
		char c = *org >= 'A' && *org <= 'Z' ? (char)(*org + 32) : *org;

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'))
			continue;
		while (*at == '-')
			at++;
		if (*at != c)
			return false;
		at++;
	}
	return at != domain && *at == '.';
}

bool report_is_of_sender(
	struct rt_ctx *ctx, const struct eds_report *report, const struct report_sender *sender)
{
	const char *org = eds_domain_normalize(ctx, report->org, strlen(report->org));

	if (*sender->domain == '\0')
		return false;
	/* Microsoft's reports give Outlook.com as their organization, and come from
	 * microsoft.com. */
	if (org != NULL && strcmp(org, "outlook.com") == 0)
		org = "microsoft.com";
	if (org != NULL && strchr(org, '.') != NULL)
		return is_within(org, sender->domain);
	return is_within(eds_address_domain(ctx, report->email), sender->domain) ||
		is_named_like(report->org, sender->domain);
}
