#include "functions/alerts/summary-json.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/json-format.h"
#include "runtime/json.h"

enum {
	DAY_MS = 24 * 3600 * 1000,
	DAY_TEXT = sizeof "2026-01-31" - 1,
};

static json_t *percent(struct rt_ctx *ctx, int64_t failed, int64_t judged)
{
	int tenths = judged > 0 ? (int)((double)failed * 1000 / (double)judged) : 0;

	if (judged == 0)
		return json_null();
	return rt_json_text(ctx, rt_printf(ctx, "%d.%d %%", tenths / 10, tenths % 10));
}

static void put_week(struct rt_ctx *ctx, json_t *json, const struct eds_report_week *week)
{
	int64_t judged = week->passed + week->failed;

	rt_json_set(json, "messages", json_integer(judged + week->forwarded));
	rt_json_set(json, "failed", json_integer(week->failed));
	rt_json_set(json, "percent", percent(ctx, week->failed, judged));
}

/* The member "mail" of the summary. Its `to` is the last of the seven days. */
static json_t *mail(struct rt_ctx *ctx, const struct eds_report_week *week)
{
	json_t *json;

	if (week->passed + week->forwarded + week->failed == 0)
		return json_null();
	json = json_object();
	rt_json_set_text(ctx, json, "to",
		rt_memdup(ctx, rt_time_format(ctx, (week->day - 1) * DAY_MS), DAY_TEXT));
	put_week(ctx, json, week);
	rt_json_set(
		json, "earlierPercent", percent(ctx, week->earlier_failed, week->earlier_judged));
	return json;
}

static json_t *domains(const struct eds_summary *summary)
{
	json_t *json = json_object();

	rt_json_set(json, "all", json_integer(summary->domains));
	rt_json_set(json, "broken", json_integer(summary->broken));
	rt_json_set(json, "weak", json_integer(summary->weak));
	rt_json_set(json, "well", json_integer(summary->well));
	return json;
}

static json_t *worst(struct rt_ctx *ctx, const struct eds_summary *summary)
{
	json_t *list = json_array();

	for (size_t i = 0; i < summary->worst_count; i++) {
		const struct eds_summary_domain *domain = &summary->worst[i];
		json_t *json = json_object();

		rt_json_set_text(ctx, json, "domain", domain->name);
		rt_json_set_text(ctx, json, "domainId", domain->id);
		rt_json_set_text(ctx, json, "state", domain->state);
		put_week(ctx, json, &domain->week);
		rt_json_append(list, json);
	}
	return list;
}

const char *alert_summary_body(
	struct rt_ctx *ctx, const struct eds_summary *summary, int64_t now_ms)
{
	json_t *json = json_object();
	json_t *data = json_object();

	rt_json_set(data, "domains", domains(summary));
	rt_json_set(data, "mail", mail(ctx, &summary->week));
	rt_json_set(data, "worst", worst(ctx, summary));
	rt_json_set_text(ctx, json, "type", EDS_SUMMARY_EVENT);
	rt_json_set_text(ctx, json, "timestamp", rt_time_format(ctx, now_ms));
	rt_json_set(json, "data", data);
	return rt_json_format(ctx, json, NULL);
}
