/* Sums the rows of a DMARC report, just read or stored, so that the sums agree with the rows that
 * the report shows. */
#ifndef EDS_REPORTS_ROWS_OF_H
#define EDS_REPORTS_ROWS_OF_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report.h"

/* Numbers of messages in a report. */
struct report_totals {
	int64_t total;
	int64_t passed;
	int64_t forwarded;
};

/* Makes a sum of each row of a report that was just read (functions/lib/reports/reader.h). Messages
 * that no row contains get the source "". */
void report_rows_read(struct rt_ctx *ctx, const struct eds_report *report,
	struct eds_report_row_sum **sums, size_t *count);

/* Makes a sum of each row of a stored body (detail-json.h; NULL: none is stored). Messages of the
 * totals that no row contains get the source "". The sums are in ctx's memory. */
RT_MUST_USE rt_status report_rows_of(struct rt_ctx *ctx, const char *body,
	const struct report_totals *totals, struct eds_report_row_sum **sums, size_t *count);

#endif
