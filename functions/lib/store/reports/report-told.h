/* What the reports of a domain tell of some days: the texts of report-pack.h, whether they are
 * folded into their days or not (report-rows.h). Only the files of this folder include it.
 */
#ifndef EDS_STORE_REPORT_TOLD_H
#define EDS_STORE_REPORT_TOLD_H

#include "functions/lib/store/reports/report-pack.h"
#include "functions/lib/store/transaction.h"

enum eds_told_kind {
	EDS_TOLD_SOURCES,     /* by source, of all reporters that count */
	EDS_TOLD_SOURCES_ONE, /* of one, if it counts */
	EDS_TOLD_REPORTERS,   /* by reporter, of all, whether they count or not */
};

struct eds_told_query {
	const char *domain_id;
	enum eds_told_kind kind;
	int64_t from_day; /* both included */
	int64_t to_day;
	const char *reporter; /* of SOURCES_ONE */
};

/* A row, with what the text says it is of. Days come in their order. */
struct eds_told {
	int64_t day;
	bool takes_away; /* its messages are among those of the day, and do not count */
	bool verified;   /* of a reporter; the source of the row is its name */
	struct eds_pack_row row;
	const struct eds_tally_name *auth; /* of a source */
};

typedef void (*eds_told_take)(void *arg, const struct eds_told *told);

RT_MUST_USE rt_status eds_store_report_told(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_told_query *query, eds_told_take take, void *arg);

#endif
