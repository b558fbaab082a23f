/* Sums over those of a domain's DMARC reports that count (report-add.h): by day, source, reporter
 * or disposition, from the rows and days of report-rows.h. Whether the owner accepted or blocked a
 * reporter is read when the sums are made, so the owner's decision also applies to earlier reports.
 */
#ifndef EDS_STORE_REPORT_SUMS_H
#define EDS_STORE_REPORT_SUMS_H

#include "functions/lib/store/reports/report-unsummed.h"

enum {
	EDS_REPORT_SUMS_MAX = 1000, /* maximum number of groups per answer; those with the most
				     * messages come first, except that days come in their order */
};

enum eds_report_sum_by {
	EDS_SUM_BY_DAY, /* one group for each day, in the order of days */
	EDS_SUM_BY_SOURCE,
	EDS_SUM_BY_REPORTER,
	EDS_SUM_BY_DISPOSITION,
	EDS_SUM_BYS,
};

struct eds_report_sums_query {
	enum eds_report_sum_by by;
	int64_t from_day; /* first day, in days since 1970; from_day and to_day are both included */
	int64_t to_day;
	int class;            /* sums only rows of this enum eds_report_class; -1 for all rows */
	const char *reporter; /* sums only reports of this reporter; "" for all reports */
	bool all;             /* also return the groups beyond EDS_REPORT_SUMS_MAX */
};

/* One group. Its days are those on which the periods of its reports begin. */
struct eds_report_sum {
	const char *key; /* the address, domain or number of the group; "" if unknown */
	int64_t passed;
	int64_t forwarded;
	int64_t failed;
	int64_t first_day;
	int64_t last_day;
};

RT_MUST_USE rt_status eds_store_report_sums(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_sums_query *query,
	struct eds_report_sum **sums, size_t *count);

#endif
