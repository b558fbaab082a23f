/* Reads and shows the criterion by which messages are summed (?by=). */
#ifndef REPORTS_SUM_BY_H
#define REPORTS_SUM_BY_H

#include "functions/lib/store/reports/report-sums.h"
#include "runtime/event/event.h"

/* Reads ?by=. RT_BAD_INPUT "by-invalid". */
RT_MUST_USE rt_status report_by_read(
	struct rt_ctx *ctx, const struct rt_request *req, enum eds_report_sum_by *by);

const char *report_by_name(enum eds_report_sum_by by); /* name of the kind of sum: "day", … */

/* The key of a sum as the API shows it: a day, address, reporter or disposition; NULL for an
 * address or a reporter that is not known. */
const char *report_by_key(struct rt_ctx *ctx, enum eds_report_sum_by by, const char *key);

#endif
