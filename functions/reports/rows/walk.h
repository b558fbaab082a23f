/* Calls a function for each DMARC report of a domain, newest first. The memory used does not grow
 * with the number of reports. */
#ifndef REPORTS_WALK_H
#define REPORTS_WALK_H

#include <jansson.h>

#include "functions/lib/store/reports/report.h"

enum {
	REPORT_WALK_ID_MAX = 64,
};

struct report_walk {
	struct eds_store *store;
	const struct eds_domain *domain;
	int64_t from_day; /* first day on which the period of a report may begin, days since 1970 */
	int64_t to_day;   /* last day on which the period may begin */
	const char *reporter; /* reporter of the reports, in lower case; NULL: any */
	int class;            /* enum eds_report_class: only reports with such messages; -1: any */
	/* end of the walk, on the monotonic clock; at least one line is processed */
	int64_t until_ms;

	/* Called for each report that was read successfully, with its line but not its body
	 * (report-read.h). Returns RT_NOT_FOUND for a report that was removed meanwhile; the walk
	 * then continues with the next report. */
	rt_status (*on_report)(struct rt_ctx *ctx, void *arg, const struct eds_report_line *line);
	void *arg;

	/* The caller sets the id of the line after which the walk continues, or "" to begin with
	 * the newest line. The walk sets the id of the last line that it has processed. */
	char after[REPORT_WALK_ID_MAX];
	bool done;    /* set by on_report to stop; the line then does not count as processed */
	bool is_late; /* until_ms ended the walk before the last line */
};

/* Runs the walk until the last report, or until on_report or until_ms stops it. Fails when
 * on_report fails. */
RT_MUST_USE rt_status report_walk(struct rt_ctx *ctx, struct report_walk *walk);

/* Reads a report's line, and its rows in the form that the API shows (row-json.h). RT_NOT_FOUND
 * "report-not-found". */
RT_MUST_USE rt_status report_walk_rows(struct rt_ctx *ctx, const struct report_walk *walk,
	const char *id, struct eds_report_line *line, const json_t **rows);

#endif
