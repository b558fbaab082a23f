/* Writes the rows of a domain's DMARC reports as a table. */
#ifndef REPORTS_EXPORT_ROWS_H
#define REPORTS_EXPORT_ROWS_H

#include "functions/reports/rows/row-filter.h"
#include "functions/reports/rows/sheet.h"
#include "functions/reports/rows/walk.h"

enum {
	REPORT_EXPORT_CURSOR_MAX = 64,
	REPORT_EXPORT_CELL_MAX = 1000, /* octets of the results, or the reasons; more is cut */
};

struct report_export {
	struct report_walk walk; /* the caller sets its store, domain, days, reporter and time */
	struct report_row_filter rows;
	struct report_sheet *sheet;
	size_t left; /* number of reports that may still be written */

	bool more; /* set by report_export_rows(): there are more rows than were written */
	/* "{id}" of the last report read, or "{id}.{count}" when only its first count rows were
	 * written */
	char last[REPORT_EXPORT_CURSOR_MAX];
};

/* Writes the rows that the filters select, until no report is left, `left` reports are written, the
 * sheet's buffer is full or the time is over. after: the value of `last` after the previous page;
 * NULL begins with the newest report. A report whose rows do not all fit is left to the next page;
 * but if that report is the first of a page, as many of its rows as fit are written. */
RT_MUST_USE rt_status report_export_rows(
	struct rt_ctx *ctx, struct report_export *export, const char *after);

#endif
