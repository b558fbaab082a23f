/* The rows of DMARC reports, and the sums of each day, into which the rows are folded, so that a
 * query for sums need not read each report. A report is one line in the log of reports. The rows of
 * a line are one text (report-pack.h) in a table of its own. The database removes this text
 * together with the line, even when a program of an earlier release removes the line.
 *
 * eds_store_report_fold() folds the rows of some reports at a time: it adds them to the sums of
 * their days. A query for sums reads the sums of the days and the rows that are not folded yet. The
 * rows are authoritative, and the sums of a day are derived from them. Before a line is removed for
 * another reason than its age, its day is taken apart: the sums of the day are removed, and the
 * rows of the day are queued to be folded again. A program of an earlier release removes lines
 * without taking their days apart, and adds lines without rows. Lines without rows wait for
 * eds_store_report_unsummed(); after the last of them, the days of the domain are compared with the
 * rows.
 *
 * `auth` names the signing and sending domains, separated by spaces: the domain in From ("-" if
 * unknown), then each signing domain with the receiver's result for its signature, then the SPF
 * domain with its result:
 *
 *     example.com dkim+example.com dkim-mailer.example spf+bounce.mailer.example
 */
#ifndef EDS_STORE_REPORT_ROWS_H
#define EDS_STORE_REPORT_ROWS_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/transaction.h"

/* Selects at most $3 lines to remove from the log of the domain $1, so that at least $2 lines stay:
 * those of verified reporters before those of others, and newer lines before older ones. */
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

/* Locks the domain's days until the transaction ends. Every function that writes the days, except
 * the removal of old days, calls this function first. */
RT_MUST_USE rt_status eds_store_report_days_lock(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Stores the rows, within the transaction that adds the line or marks it as summed. */
RT_MUST_USE rt_status eds_store_report_rows_put(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_report_rows *rows);

/* Stores the rows of a new line, within the transaction that adds it. */
RT_MUST_USE rt_status eds_store_report_rows_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_item *item);

/* Takes apart the day of the line with this identity: removes the sums of the day, and queues the
 * rows of the day to be folded again. Runs within the transaction that then removes the line. */
RT_MUST_USE rt_status eds_store_report_rows_remove(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *identity);

/* Takes apart the days of the lines that EDS_REPORTS_OVER selects, within the transaction that then
 * removes these lines. */
RT_MUST_USE rt_status eds_store_report_rows_remove_over(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, int64_t domain_max, int64_t batch);

#endif
