/* Makes the line for a report in a domain's log: decides whether the report is about the domain,
 * and sets the line's identity and sums.
 *
 * A DMARC report is accepted when its policy domain is the monitored domain or a parent of it, up
 * to the organizational domain: receivers apply a parent's policy to a subdomain that has no policy
 * of its own (RFC 9989 section 4.10). A TLS report is accepted for those of its policies that are
 * about the domain itself. Codes of refused reports:
 *
 *     report-other-domain   the report is about another domain
 *     report-not-tls        the report was posted over HTTPS, where only TLS reports are accepted
 *     reporter-blocked      the domain's owner has blocked the sender
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

/* The log for which a mail or a request arrived, and the sender of the report. */
struct report_log {
	const struct eds_domain *domain;
	/* organizational domain of `domain`, or its last two labels if DNS does not tell it; the
	 * domain itself when no report needs it (report_is_from_above()) */
	const char *org_domain;
	const struct rt_mail_event *mail;
	const char *way; /* how the report arrived, as in struct eds_report_origin */
	/* true: only TLS reports are accepted, as in a POST by a reporter (RFC 8460) */
	bool tls_alone;
	const struct report_sender *sender;
	struct eds_reporter known; /* what the log knows of the sender */
};

/* Makes the line for the report with this index in the mail; its state is "read" or "refused". The
 * line and all results below are in ctx's memory. */
struct eds_report_line *report_line(struct rt_ctx *ctx, const struct report_log *log,
	const struct eds_report *report, size_t index);

/* Replaces the identity of a line by that of another line about the same report. The state of the
 * line must be "read". If `identity` has the mark of a report that was cut short, the mark is
 * ignored; the line keeps its own mark. */
void report_line_is(struct rt_ctx *ctx, struct eds_report_line *line, const char *identity);

/* The line that says that a mail had more than EDS_REPORTS_MAX reports, or that a file had more
 * reports than were read. */
struct eds_report_line *report_line_cut(struct rt_ctx *ctx, const struct report_log *log);

/* True if the report is a DMARC report about a parent of the domain. Only such a report needs
 * log->org_domain. */
bool report_is_from_above(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report);

/* Sums, by type, those failures of a TLS report that are about the domain. */
struct eds_report_failure_sum *report_failures(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report *report, size_t *count);

/* True if a domain name in a report, in upper or lower case, is this domain. */
bool report_is_about(struct rt_ctx *ctx, const struct eds_domain *domain, const char *name);

#endif
