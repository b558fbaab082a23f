/* The rows of DMARC reports, and the days they are folded into, so that sums need not look at each
 * report. A line's rows are one text (report-pack.h), kept beside it; they go with it, whichever
 * program removes the line.
 *
 * Rows are folded some reports at a time, by eds_store_report_fold(): until then sums read them
 * beside their day. The rows are what counts and the days only repeat them: a day that loses a
 * line is taken apart, and folded anew. A program from before removes lines without that, and adds
 * lines without rows: these wait for eds_store_report_unsummed(), and with the last of a domain its
 * days are compared with the rows.
 *
 * Who signed and who sent stands in `auth`, words separated by a space: the domain in From ("-"
 * unknown), then each signing domain with what the receiver says of its signature, then the domain
 * of SPF with its result:
 *
 *     example.com dkim+example.com dkim-mailer.example spf+bounce.mailer.example
 */
#ifndef EDS_STORE_REPORT_ROWS_H
#define EDS_STORE_REPORT_ROWS_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/transaction.h"

/* Lines of the domain $1 beyond the number $2 that it may have, $3 at most. */
#define EDS_REPORTS_OVER                                                                           \
	"SELECT r.id FROM reports r LEFT JOIN report_origins o ON o.domain_id = r.domain_id AND"   \
	" o.report_id = r.id WHERE r.domain_id = $1 ORDER BY CASE WHEN o.verified = 1 THEN 0 ELSE" \
	" 1 END, r.id COLLATE \"C\" DESC LIMIT $3 OFFSET $2"

/* The rows of one line. */
struct eds_report_rows {
	const char *domain_id;
	const char *report_id;
	int64_t day;
	const char *reporter;
	bool verified;
	const struct eds_report_row_sum *sums;
	size_t count;
};

/* The day, since 1970, of a report; its period may be unknown, 0. */
int64_t eds_store_report_day(int64_t begins_at_ms, int64_t received_at_ms);

/* Held until the transaction ends, by all that write its days. */
RT_MUST_USE rt_status eds_store_report_days_lock(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Within the transaction that adds the line, or marks it. */
RT_MUST_USE rt_status eds_store_report_rows_put(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_report_rows *rows);

/* Within the transaction that adds the line. */
RT_MUST_USE rt_status eds_store_report_rows_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_item *item);

/* Takes apart the day of the line of this identity, within the transaction that then removes the
 * line. */
RT_MUST_USE rt_status eds_store_report_rows_remove(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *identity);

/* The same of the lines that EDS_REPORTS_OVER names. */
RT_MUST_USE rt_status eds_store_report_rows_remove_over(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, int64_t domain_max, int64_t batch);

#endif
