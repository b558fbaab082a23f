/* Reads days and classes of messages from requests, and shows days: "2026-01-31". */
#ifndef EDS_REPORTS_DAYS_H
#define EDS_REPORTS_DAYS_H

#include <jansson.h>

#include "functions/lib/store/reports/report-sums.h"
#include "runtime/event/event.h"

/* Reads the first and the last day from ?from= and ?to=; by default the last 30 days. RT_BAD_INPUT
 * "day-invalid". */
RT_MUST_USE rt_status report_days_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_report_sums_query *query);

/* Reads ?from= and ?to= without defaults: the first millisecond of from and the last millisecond of
 * to, epoch ms; 0 when the request does not have the parameter. */
RT_MUST_USE rt_status report_days_given(
	struct rt_ctx *ctx, const struct rt_request *req, int64_t *from_ms, int64_t *to_ms);

/* Reads passed, forwarded or failed from the parameter with this name; *class is -1 (all) when the
 * request does not have it. RT_BAD_INPUT "class-invalid" or "result-invalid". */
RT_MUST_USE rt_status report_class_read(
	struct rt_ctx *ctx, const struct rt_request *req, const char *name, int *class);

/* The day as text, such as "2026-01-31". day: days since 1970. */
const char *report_day_text(struct rt_ctx *ctx, int64_t day);
json_t *report_day_json(struct rt_ctx *ctx, int64_t day);

#endif
