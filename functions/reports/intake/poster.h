/* Whom a report that came without a mail is by, as it says itself: the organization of
 * contact-info, else of organization-name. A request proves nothing of that (RFC 8460 section 3): a
 * name in DNS of the client's address is one that a provider gives to each of its subscribers.
 */
#ifndef REPORTS_POSTER_H
#define REPORTS_POSTER_H

#include "functions/lib/dns/dns.h"
#include "functions/reports/intake/sender-name.h"

enum {
	REPORT_POSTER_TIME_MS = 3000, /* of slow DNS, for all reports that came together */
};

/* until_ms: of rt_monotonic_ms(), past which DNS is not waited for, and the name that the report
 * has stands for itself. In ctx's memory; nothing is proved, results of mail are "". */
void report_poster_claim(struct rt_ctx *ctx, struct eds_dns *dns, int64_t until_ms,
	const struct eds_report *report, struct report_sender *sender);

#endif
