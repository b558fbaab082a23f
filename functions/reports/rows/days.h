/* Reads days and classes from requests, and shows days: "2026-01-31". */
#ifndef EDS_REPORTS_DAYS_H
#define EDS_REPORTS_DAYS_H

#include <jansson.h>

#include "functions/lib/store/reports/report-sums.h"
#include "runtime/event/event.h"

/* ?from= and ?to=, both included: the last 30 days without them. RT_BAD_INPUT "day-invalid". */
RT_MUST_USE rt_status report_days_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_report_sums_query *query);

/* The same without defaults: the first millisecond of from and the last of to; 0 when the request
 * does not have it. */
RT_MUST_USE rt_status report_days_given(
	struct rt_ctx *ctx, const struct rt_request *req, int64_t *from_ms, int64_t *to_ms);

/* Reads passed, forwarded or failed from the parameter of this name; -1 (all) without it.
 * RT_BAD_INPUT "class-invalid" or "result-invalid". */
RT_MUST_USE rt_status report_class_read(
	struct rt_ctx *ctx, const struct rt_request *req, const char *name, int *class);

const char *report_day_text(struct rt_ctx *ctx, int64_t day);
json_t *report_day_json(struct rt_ctx *ctx, int64_t day);

#endif
