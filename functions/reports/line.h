/* A report as a line of a domain's log: whether it is about the domain, what makes it one report,
 * and what it sums up to.
 *
 * A DMARC report is taken when its policy domain is the monitored domain or above it, down from the
 * organizational domain: receivers apply that one's policy to a subdomain without one (RFC 9989
 * section 4.10). A TLS report is taken for those of its policies that are about the domain itself.
 * Codes of those that are not:
 *
 *     report-other-domain   it is about another domain
 *     report-not-tls        it came over HTTPS, where reports about TLS alone are taken
 *     reporter-blocked      the domain's owner has blocked who sent it
 *     reports-too-many      the mail or file held further reports, which were not read
 * and the codes of functions/lib/reports/reader.h.
 */
#ifndef EDS_REPORTS_LINE_H
#define EDS_REPORTS_LINE_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report.h"
#include "functions/reports/below.h"
#include "functions/reports/intake/sender-name.h"
#include "functions/reports/rows/report-value.h"
#include "runtime/event/event.h"

/* The log that a mail comes to, and who sent the mail. */
struct report_log {
	const struct eds_domain *domain;
	const char *org_domain; /* the organizational domain of it, itself when not known */
	const struct rt_mail_event *mail;
	const char *way; /* as of struct eds_report_origin */
	bool tls_alone;  /* it takes reports about TLS only, as RFC 8460 has them posted */
	const struct report_sender *sender;
	struct eds_reporter known; /* what the log knows of the sender */
};

/* The line of a mail's report of this index: its state is "read" or "refused". In ctx's memory, as
 * all below. */
struct eds_report_line *report_line(struct rt_ctx *ctx, const struct report_log *log,
	const struct eds_report *report, size_t index);

/* Makes a line that was read the same report as the one of this identity, whole or cut. */
void report_line_is(struct rt_ctx *ctx, struct eds_report_line *line, const char *identity);

/* The line of what a mail held beyond EDS_REPORTS_MAX reports, or a file beyond what was read. */
struct eds_report_line *report_line_cut(struct rt_ctx *ctx, const struct report_log *log);

/* Whether it is about a domain above: then org_domain of the log matters. */
bool report_is_from_above(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report);

/* The failures of a TLS report that are about the domain, by type. */
struct eds_report_failure_sum *report_failures(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report *report, size_t *count);

/* Whether a domain of a report, in any case, is this one. */
bool report_is_about(struct rt_ctx *ctx, const struct eds_domain *domain, const char *name);

#endif
