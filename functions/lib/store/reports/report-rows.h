/* The rows of DMARC reports, and the days into which they are folded, so that sums need not read
 * each report. The rows of a line are one text (report-pack.h), stored beside the line. It is
 * removed with the line, whichever program does so.
 *
 * eds_store_report_fold() folds the rows of some reports at a time. Sums read the rows that are not
 * folded yet in addition to the days. The rows are authoritative and the days are derived from
 * them: a day that loses a line is taken apart and folded again. A program of an earlier release
 * removes lines without taking their days apart, and adds lines without rows. Lines without rows
 * wait for eds_store_report_unsummed(); after the last of them, the days of the domain are compared
 * with the rows.
 *
 * `auth` names the signing and sending domains, separated by spaces: the domain in From ("-"
 * unknown), then each signing domain with the receiver's result for its signature, then the SPF
 * domain with its result:
 *
 *     example.com dkim+example.com dkim-mailer.example spf+bounce.mailer.example
 */
#ifndef EDS_STORE_REPORT_ROWS_H
#define EDS_STORE_REPORT_ROWS_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/transaction.h"

/* Selects the lines to remove from the log of the domain $1, so that $2 lines stay; $3 lines at
 * most. */
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

/* The day of a report, in days since 1970. begins_at_ms: 0 if unknown. */
int64_t eds_store_report_day(int64_t begins_at_ms, int64_t received_at_ms);

/* Locks the domain's days until the transaction ends. Every writer of the days calls it. */
RT_MUST_USE rt_status eds_store_report_days_lock(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Stores the rows, within the transaction that adds the line or marks it as summed. */
RT_MUST_USE rt_status eds_store_report_rows_put(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_report_rows *rows);

/* Stores the rows of a new line, within the transaction that adds it. */
RT_MUST_USE rt_status eds_store_report_rows_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_item *item);

/* Takes apart the day of the line with this identity: removes the sums of the day, and queues its
 * rows to be folded again. Runs within the transaction that then removes the line. */
RT_MUST_USE rt_status eds_store_report_rows_remove(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *identity);

/* Does the same for the days of the lines that EDS_REPORTS_OVER selects, within the transaction
 * that then removes these lines. */
RT_MUST_USE rt_status eds_store_report_rows_remove_over(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, int64_t domain_max, int64_t batch);

#endif
