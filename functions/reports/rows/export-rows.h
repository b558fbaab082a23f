/* The rows of the DMARC reports of a domain as a table. */
#ifndef REPORTS_EXPORT_ROWS_H
#define REPORTS_EXPORT_ROWS_H

#include "functions/lib/store/reports/report.h"
#include "functions/reports/rows/sheet.h"

enum {
	REPORT_EXPORT_CURSOR_MAX = 64,
	REPORT_EXPORT_CELL_MAX = 1000, /* octets of results and reasons; what is longer is cut */
};

struct report_export {
	struct eds_store *store;
	const struct eds_domain *domain;
	int64_t from_day; /* on which the periods of the reports begin, both included */
	int64_t to_day;
	struct report_sheet *sheet;
	size_t left; /* reports */

	bool more; /* when it is done: there are further ones, behind the last */
	/* "{id}" of a report; "{id}.{count}" of one of which so many rows were written */
	char last[REPORT_EXPORT_CURSOR_MAX];
};

/* Writes reports behind a last one (NULL: from the newest) until none is left or the sheet's buffer
 * is full. Each is whole, but for one that has no room in a buffer of its own: of that as many rows
 * as fit. */
RT_MUST_USE rt_status report_export_rows(
	struct rt_ctx *ctx, struct report_export *export, const char *after);

#endif
