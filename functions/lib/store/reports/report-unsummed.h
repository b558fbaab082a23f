/* Lines of the log that are not marked as summed: a program of an earlier release, which had no
 * sums, added them without the rows of their reports. It may add such lines at any time during an
 * upgrade. The rows of each line are stored in a transaction of their own, so the work can stop and
 * resume at any line. */
#ifndef EDS_STORE_REPORT_UNSUMMED_H
#define EDS_STORE_REPORT_UNSUMMED_H

#include "functions/lib/store/reports/report.h"

struct eds_report_unsummed {
	const char *domain_id;
	const char *id;
	int64_t day;        /* day of the report (eds_store_report_day), in days since 1970 */
	bool is_dmarc_read; /* the line is a DMARC report that was read; else there is nothing to
			     * sum */
	int64_t total;      /* messages of the report: those that passed, those that were forwarded,
			     * and those that failed */
	int64_t passed;
	int64_t forwarded;
	const char *reporter; /* reporter of the line; NULL when an earlier release stored the line
			       * without its reporter: then the line counts in no sum */
	bool verified;
	const char *body_id;
};

/* Lists at most `limit` lines; lines of one domain are adjacent. */
RT_MUST_USE rt_status eds_store_report_unsummed(struct rt_ctx *ctx, struct eds_store *store,
	int limit, struct eds_report_unsummed **lines, size_t *count);

/* Reads the report's body, which is JSON; *body is NULL when no body is stored. */
RT_MUST_USE rt_status eds_store_report_unsummed_body(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_unsummed *line, const char **body);

/* Stores the rows of a line, and marks the line as summed. count is 0 for a line without rows; a
 * line without a reporter gets none. Does nothing when the line has been removed, or another
 * process has marked it. */
RT_MUST_USE rt_status eds_store_report_unsummed_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_unsummed *line, const struct eds_report_row_sum *sums,
	size_t count);

/* To be called when the rows of some lines of a domain have been stored. Folds these rows. When no
 * line of the domain is left whose rows must be stored, first removes the sums of days that contain
 * rows of lines which an earlier release has removed (eds_store_report_days_check). */
RT_MUST_USE rt_status eds_store_report_unsummed_end(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Sets *complete to whether all lines of the domain are marked as summed. */
RT_MUST_USE rt_status eds_store_report_sums_complete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, bool *complete);

#endif
