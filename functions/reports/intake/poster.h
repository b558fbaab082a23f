/* Names the reporter of a report that did not arrive by mail: the organizational domain of the
 * address in contact-info or, if that has no domain, of the name in organization-name. This is only
 * a claim. A request proves nothing (RFC 8460 section 3), and the DNS name of the client's address
 * proves nothing either, since providers give such a name to every subscriber. */
#ifndef REPORTS_POSTER_H
#define REPORTS_POSTER_H

#include "functions/lib/dns/dns.h"
#include "functions/reports/intake/sender-name.h"

enum {
	REPORT_POSTER_TIME_MS = 3000, /* maximum wait for DNS, for all reports of a request */
};

/* Sets *sender, in ctx's memory: its domain is the claimed domain, "" if the report names none;
 * `proved` is false, and the results of SPF, DKIM and DMARC are "". until_ms: end of the wait for
 * DNS, on the clock of rt_monotonic_ms(). If DNS has not answered by then, the domain is the name
 * in the report, unchanged. */
void report_poster_claim(struct rt_ctx *ctx, struct eds_dns *dns, int64_t until_ms,
	const struct eds_report *report, struct report_sender *sender);

#endif
