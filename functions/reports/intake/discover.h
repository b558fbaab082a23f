/* The selectors that a report names, and the monitored domains for which they count.
 * discover-check.h finds the new selectors and checks them in DNS.
 *
 * A selector counts for the domain of its signature (d=), if that is the domain for which the
 * report arrived, or a subdomain of it that the account monitors too.
 */
#ifndef EDS_REPORTS_DISCOVER_H
#define EDS_REPORTS_DISCOVER_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report.h"

enum {
	REPORT_SUBDOMAINS_MAX =
		50, /* maximum number of names below the domain about which the store is asked */
	/* maximum wait for DNS; after it, the job dkim-recheck checks the selector */
	REPORT_DNS_WAIT_MS = 5000,
	REPORT_LOOKUPS_MAX =
		200, /* maximum number of selectors that one mail makes the service look up */
};

/* Lists the selectors of a report's signatures in item->named: first the legal selectors that count
 * for a monitored domain, then all other selectors. In both groups the selectors have the order of
 * the signatures, so the selectors of passing signatures come first. In the first group, selectors
 * of one domain that differ only in case are listed as one selector. Sets item->of_signature,
 * too. */
RT_MUST_USE rt_status report_named(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report *report,
	struct eds_report_item *item);

#endif
