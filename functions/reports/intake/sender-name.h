/* Compares the organization named in a report with the sender of its mail. */
#ifndef REPORTS_SENDER_NAME_H
#define REPORTS_SENDER_NAME_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"

struct report_sender {
	const char *domain; /* the organizational domain of From; "" when From does not name exactly
			       one domain */
	bool proved;        /* proved by SPF or DKIM, aligned with From */
	const char *spf;    /* results by their names in RFC 8601 */
	const char *dkim;
	const char *dmarc;
};

/* Whether the report is in the sender's name: by org_name, or if that is no domain by the address
 * in the report or by the name itself ("Yahoo" of yahoo.com). Everybody can prove a domain of his
 * own; this check keeps him from reporting in another's name. */
bool report_is_of_sender(
	struct rt_ctx *ctx, const struct eds_report *report, const struct report_sender *sender);

#endif
