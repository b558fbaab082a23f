/* The claimed reporter of a report that arrived without a mail: the organizational domain in
 * contact-info, else in organization-name. A request proves nothing (RFC 8460 section 3), and the
 * DNS name of the client's address proves nothing either, since providers give one to every
 * subscriber.
 */
#ifndef REPORTS_POSTER_H
#define REPORTS_POSTER_H

#include "functions/lib/dns/dns.h"
#include "functions/reports/intake/sender-name.h"

enum {
	REPORT_POSTER_TIME_MS = 3000, /* maximum wait for DNS, for all reports of a request */
};

/* until_ms: on the clock of rt_monotonic_ms(); after it DNS is not awaited, and the name in the
 * report is used unchanged. The result is in ctx's memory; nothing is proved, and the results of
 * mail are "". */
void report_poster_claim(struct rt_ctx *ctx, struct eds_dns *dns, int64_t until_ms,
	const struct eds_report *report, struct report_sender *sender);

#endif
