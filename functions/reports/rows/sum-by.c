#include "functions/reports/rows/sum-by.h"
#include "runtime/event/event-http.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/reports/report.h"
#include "functions/reports/rows/days.h"
#include "functions/reports/rows/row-names.h"

static const char *const names[EDS_SUM_BYS] = {
	[EDS_SUM_BY_DAY] = "day",
	[EDS_SUM_BY_SOURCE] = "source",
	[EDS_SUM_BY_REPORTER] = "reporter",
	[EDS_SUM_BY_DISPOSITION] = "disposition",
};

rt_status report_by_read(
	struct rt_ctx *ctx, const struct rt_request *req, enum eds_report_sum_by *by)
{
	const char *text = rt_request_query(req, "by");

	for (unsigned i = 0; i < EDS_SUM_BYS && text != NULL; i++)
		if (strcmp(text, names[i]) == 0) {
			*by = (enum eds_report_sum_by)i;
			return RT_OK;
		}
	return rt_fail(ctx, RT_BAD_INPUT, "by-invalid",
		"by= must be one of day, source, reporter and disposition");
}

const char *report_by_name(enum eds_report_sum_by by)
{
	return names[by];
}

const char *report_by_key(struct rt_ctx *ctx, enum eds_report_sum_by by, const char *key)
{
	if (by == EDS_SUM_BY_DAY)
		return report_day_text(ctx, strtoll(key, NULL, 10));
	if (by == EDS_SUM_BY_DISPOSITION)
		return report_disposition_name((enum eds_report_disposition)strtol(key, NULL, 10));
	return *key != '\0' ? key : NULL;
}
