/* A report as a line of a domain's log: whether it is about the domain, what makes it one report,
 * and what it sums up to.
 *
 * A DMARC report is taken when its policy domain is the monitored domain or above it: receivers
 * apply the policy of the domain above to a subdomain without one. A TLS report is taken for those
 * of its policies that are about the domain itself. Codes of those that are not:
 *
 *     report-other-domain   it is about another domain
 *     reports-too-many      the mail held further reports, which were not read
 * and the codes of functions/lib/reports/reader.h.
 */
#ifndef EDS_REPORTS_LINE_H
#define EDS_REPORTS_LINE_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/report.h"
#include "runtime/event.h"

/* The line of a mail's report of this index: its state is "read" or "refused". In ctx's memory, as
 * all below. */
struct eds_report_line *report_line(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct rt_mail_event *mail, const struct eds_report *report, size_t index);

/* The line of what a mail held beyond EDS_REPORTS_MAX reports. */
struct eds_report_line *report_line_cut(struct rt_ctx *ctx, const struct rt_mail_event *mail);

/* The failures of a TLS report that are about the domain. */
struct eds_report_failure_sum *report_failures(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report *report, size_t *count);

/* Whether a domain of a report, in any case, is this one. */
bool report_is_about(struct rt_ctx *ctx, const struct eds_domain *domain, const char *name);

/* Whether a domain lies below another; both in their own form. */
bool report_is_below(const char *name, const char *parent);

/* NULL for "". */
const char *report_text(const char *text);

/* A count that somebody claims, bounded so that sums stay sums. */
int64_t report_count(uint64_t count);

#endif
