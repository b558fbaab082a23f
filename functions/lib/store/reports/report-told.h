/* Reads the rows of a domain's reports over some days, whether or not the reports are already
 * folded into the sums of the days (report-rows.h). The rows of a report and the sums of a day are
 * stored as texts in the form of report-pack.h. Only the files of this folder include this header.
 */
#ifndef EDS_STORE_REPORT_TOLD_H
#define EDS_STORE_REPORT_TOLD_H

#include "functions/lib/store/reports/report-pack.h"
#include "functions/lib/store/transaction.h"

enum eds_told_kind {
	EDS_TOLD_SOURCES,     /* rows by source, from all reporters that count */
	EDS_TOLD_SOURCES_ONE, /* rows by source, from one reporter; none if the reporter does not
			       * count */
	EDS_TOLD_REPORTERS,   /* rows by reporter, from all reporters, whether they count or not */
};

struct eds_told_query {
	const char *domain_id;
	enum eds_told_kind kind;
	int64_t from_day; /* from_day and to_day are both included */
	int64_t to_day;
	const char *reporter; /* the reporter, for EDS_TOLD_SOURCES_ONE */
};

/* A row, with facts about the text that contains it. Rows come in the order of their days. */
struct eds_told {
	int64_t day;
	bool takes_away; /* the row is one of a blocked reporter, whose messages are included in
			  * those of the day and must be subtracted */
	bool verified;   /* for EDS_TOLD_REPORTERS, where row.source is the reporter: the reports
			  * are verified */
	struct eds_pack_row row;
	const struct eds_tally_name *auth; /* for EDS_TOLD_SOURCES and EDS_TOLD_SOURCES_ONE: signing
					    * and sending domains of the row */
};

typedef void (*eds_told_take)(void *arg, const struct eds_told *told);

RT_MUST_USE rt_status eds_store_report_told(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_told_query *query, eds_told_take take, void *arg);

#endif
