#include "functions/reports/rows/days.h"
#include "runtime/event/event-http.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/reports/rows/row-names.h"

enum {
	DAY_MS = 24 * 3600 * 1000,
	DAYS_SHOWN = 30,
	DAY_TEXT = sizeof "2026-01-31" - 1,
};

/* Reads the parameter with this name. *day stays unchanged when the request does not have it. */
static rt_status read_day(
	struct rt_ctx *ctx, const struct rt_request *req, const char *name, int64_t *day)
{
	const char *text = rt_request_query(req, name);
	int64_t at_ms;

	if (text == NULL)
		return RT_OK;
	if (strlen(text) != DAY_TEXT ||
		!rt_time_parse(rt_printf(ctx, "%sT00:00:00Z", text), &at_ms) || at_ms < 0)
		return rt_fail(ctx, RT_BAD_INPUT, "day-invalid",
			"from= and to= must be days as in 2026-01-31");
	*day = at_ms / DAY_MS;
	return RT_OK;
}

rt_status report_days_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_report_sums_query *query)
{
	query->to_day = rt_wall_ms() / DAY_MS;
	RT_TRY(read_day(ctx, req, "to", &query->to_day));
	query->from_day = query->to_day - DAYS_SHOWN + 1;
	return read_day(ctx, req, "from", &query->from_day);
}

rt_status report_days_given(
	struct rt_ctx *ctx, const struct rt_request *req, int64_t *from_ms, int64_t *to_ms)
{
	int64_t from_day = 0;
	int64_t to_day = -1;

	RT_TRY(read_day(ctx, req, "from", &from_day));
	RT_TRY(read_day(ctx, req, "to", &to_day));
	*from_ms = from_day * DAY_MS;
	*to_ms = to_day >= 0 ? (to_day + 1) * DAY_MS - 1 : 0;
	return RT_OK;
}

rt_status report_class_read(
	struct rt_ctx *ctx, const struct rt_request *req, const char *name, int *class)
{
	const char *text = rt_request_query(req, name);

	*class = -1;
	if (text == NULL)
		return RT_OK;
	for (int i = 0; i < EDS_CLASSES; i++)
		if (strcmp(text, report_class_name((enum eds_report_class)i)) == 0)
			*class = i;
	if (*class >= 0)
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, rt_printf(ctx, "%s-invalid", name),
		"%s= must be one of passed, forwarded and failed", name);
}

const char *report_day_text(struct rt_ctx *ctx, int64_t day)
{
	return rt_memdup(ctx, rt_time_format(ctx, day * DAY_MS), DAY_TEXT);
}

json_t *report_day_json(struct rt_ctx *ctx, int64_t day)
{
	return json_string(report_day_text(ctx, day));
}
