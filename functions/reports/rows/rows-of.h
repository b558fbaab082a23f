/* The rows of a DMARC report that is kept, for the sums: what the sums say is what the report
 * shows. */
#ifndef EDS_REPORTS_ROWS_OF_H
#define EDS_REPORTS_ROWS_OF_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report.h"

/* The messages that a report tells of, and what became of them. */
struct report_totals {
	int64_t total;
	int64_t passed;
	int64_t forwarded;
};

/* From what the reader read; messages that no row tells of are of the source "". */
void report_rows_read(struct rt_ctx *ctx, const struct eds_report *report,
	struct eds_report_row_sum **sums, size_t *count);

/* The same from the body as detail-json.h writes it (NULL: nothing is kept). What is made of JSON
 * goes to ctx's memory from then on. */
RT_MUST_USE rt_status report_rows_of(struct rt_ctx *ctx, const char *body,
	const struct report_totals *totals, struct eds_report_row_sum **sums, size_t *count);

#endif
