/* Makes a report a line of a domain's log: whether it is about the domain, its identity, and its
 * sums.
 *
 * A DMARC report is accepted when its policy domain is the monitored domain or a parent of it, up
 * to the organizational domain: receivers apply a parent's policy to a subdomain without its own
 * (RFC 9989 section 4.10). A TLS report is accepted for those of its policies that are about the
 * domain itself. Codes of refused reports:
 *
 *     report-other-domain   it is about another domain
 *     report-not-tls        it was posted over HTTPS, where only TLS reports are accepted
 *     reporter-blocked      the domain's owner has blocked who sent it
 *     reports-too-many      the mail or file held further reports, which were not read
 * and the codes of functions/lib/reports/reader.h.
 */
#ifndef EDS_REPORTS_LINE_H
#define EDS_REPORTS_LINE_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report.h"
#include "functions/reports/intake/sender-name.h"
#include "functions/reports/rows/report-value.h"
#include "runtime/event/event.h"

/* The log for which a mail arrived, and the sender of the mail. */
struct report_log {
	const struct eds_domain *domain;
	const char *org_domain; /* its organizational domain; the domain itself if unknown */
	const struct rt_mail_event *mail;
	const char *way; /* as in struct eds_report_origin */
	bool tls_alone;  /* only TLS reports are accepted, because they are posted (RFC 8460) */
	const struct report_sender *sender;
	struct eds_reporter known; /* the sender as known in the log */
};

/* Makes the line of the mail's report with this index; its state is "read" or "refused". In ctx's
 * memory, like all results below. */
struct eds_report_line *report_line(struct rt_ctx *ctx, const struct report_log *log,
	const struct eds_report *report, size_t index);

/* Gives the line of a report that was read this identity. Lines with the same identity are the same
 * report, whole or cut short. */
void report_line_is(struct rt_ctx *ctx, struct eds_report_line *line, const char *identity);

/* The line for the reports of a mail past EDS_REPORTS_MAX, or of a file past those that were
 * read. */
struct eds_report_line *report_line_cut(struct rt_ctx *ctx, const struct report_log *log);

/* Whether the report is about a parent of the domain: then org_domain of the log matters. */
bool report_is_from_above(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report);

/* Sums the failures of a TLS report that are about the domain, by type. */
struct eds_report_failure_sum *report_failures(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report *report, size_t *count);

/* Whether a domain name in a report, in upper or lower case, is this domain. */
bool report_is_about(struct rt_ctx *ctx, const struct eds_domain *domain, const char *name);

#endif
