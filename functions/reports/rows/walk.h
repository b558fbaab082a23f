/* Goes through the DMARC reports of a domain, newest first, in a memory that does not grow with
 * their number. */
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
	int64_t from_day; /* days on which the reports' periods begin, both included */
	int64_t to_day;
	const char *reporter; /* only of this reporter, in lower case; NULL: of any */
	int class;            /* only with such messages, enum eds_report_class; -1: any */
	int64_t until_ms; /* on the monotonic clock: it stops then, but not before the first line */

	/* Called for each report that was read, with a line without its body (report-read.h).
	 * RT_NOT_FOUND: it is gone, and passed over. */
	rt_status (*on_report)(struct rt_ctx *ctx, void *arg, const struct eds_report_line *line);
	void *arg;

	/* id of the last line that was passed; set it to continue after it, "" to begin */
	char after[REPORT_WALK_ID_MAX];
	bool done;    /* set by on_report to stop at this line, which is then not passed */
	bool is_late; /* its time was over before the last line */
};

/* Goes on until the last report, or until one of the reasons above. Fails where on_report does.
 */
RT_MUST_USE rt_status report_walk(struct rt_ctx *ctx, struct report_walk *walk);

/* Reads the rows of the report with this id, as row-json.h shows them, and its line.
 * RT_NOT_FOUND "report-not-found". */
RT_MUST_USE rt_status report_walk_rows(struct rt_ctx *ctx, const struct report_walk *walk,
	const char *id, struct eds_report_line *line, const json_t **rows);

#endif
