/* Writes the rows of a domain's DMARC reports as a table. */
#ifndef REPORTS_EXPORT_ROWS_H
#define REPORTS_EXPORT_ROWS_H

#include "functions/lib/store/reports/report.h"
#include "functions/reports/rows/sheet.h"

enum {
	REPORT_EXPORT_CURSOR_MAX = 64,
	REPORT_EXPORT_CELL_MAX = 1000, /* octets of results and reasons; longer text is cut */
};

struct report_export {
	struct eds_store *store;
	const struct eds_domain *domain;
	int64_t from_day; /* days on which the reports' periods begin, both included */
	int64_t to_day;
	struct report_sheet *sheet;
	size_t left; /* reports still to be written */

	bool more; /* set when done: there are more reports after the last */
	/* "{id}" of the last report; "{id}.{count}" when only so many of its rows were written */
	char last[REPORT_EXPORT_CURSOR_MAX];
};

/* Writes the reports after a last one (NULL: from the newest) until none is left or the sheet's
 * buffer is full. Reports are written whole, except one that is larger than a whole buffer: of that
 * as many rows as fit. */
RT_MUST_USE rt_status report_export_rows(
	struct rt_ctx *ctx, struct report_export *export, const char *after);

#endif
