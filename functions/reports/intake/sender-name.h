/* In whose name a report is, beside who sent it. */
#ifndef REPORTS_SENDER_NAME_H
#define REPORTS_SENDER_NAME_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"

struct report_sender {
	const char *domain; /* the organizational domain of From; "" when it names no one domain */
	bool proved;        /* by SPF or DKIM, aligned with From */
	const char *spf;    /* results by their names in RFC 8601 */
	const char *dkim;
	const char *dmarc;
};

/* Whether the report is in the sender's name, by org_name, or where that is no domain by the
 * address in it or by the name itself ("Yahoo" of yahoo.com). Everybody can prove a domain of his
 * own: this keeps him from reporting in another's name. */
bool report_is_of_sender(
	struct rt_ctx *ctx, const struct eds_report *report, const struct report_sender *sender);

#endif
