/* Lines of DMARC reports whose rows are not kept yet: those that a program from before sums were
 * kept has added, at whatever time. Each is done in a transaction of its own, so that it can be
 * left and gone on with at any line.
 */
#ifndef EDS_STORE_REPORT_UNSUMMED_H
#define EDS_STORE_REPORT_UNSUMMED_H

#include "functions/lib/store/reports/report.h"

struct eds_report_unsummed {
	const char *domain_id;
	const char *id;
	int64_t day;        /* since 1970, that its period begins on */
	bool is_dmarc_read; /* else there is nothing to sum */
	int64_t total;      /* messages, and what became of them; the others failed */
	int64_t passed;
	int64_t forwarded;
	const char *reporter; /* NULL: from before reporters were judged; counts in no sum */
	bool verified;
	const char *body_id;
};

/* limit at most, those of one domain together. */
RT_MUST_USE rt_status eds_store_report_unsummed(struct rt_ctx *ctx, struct eds_store *store,
	int limit, struct eds_report_unsummed **lines, size_t *count);

/* What the report says, JSON; NULL when nothing is kept of it. */
RT_MUST_USE rt_status eds_store_report_unsummed_body(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_unsummed *line, const char **body);

/* Keeps the rows of one, count 0 of one without any. Does nothing when the line has gone, or
 * another process has done it. */
RT_MUST_USE rt_status eds_store_report_unsummed_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_unsummed *line, const struct eds_report_row_sum *sums,
	size_t count);

/* After some lines of a domain, and its last: folds them, and sees whether the program that added
 * them has removed others. */
RT_MUST_USE rt_status eds_store_report_unsummed_end(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Whether no line of the domain is left to be summed. */
RT_MUST_USE rt_status eds_store_report_sums_complete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, bool *complete);

#endif
