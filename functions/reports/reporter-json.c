#include "functions/reports/reporter-json.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include "runtime/event/event.h"

static void set_time(struct rt_ctx *ctx, json_t *object, const char *name, int64_t at_ms)
{
	rt_json_set_text(ctx, object, name, at_ms > 0 ? rt_time_format(ctx, at_ms) : NULL);
}

static const char *standing_of(const struct eds_reporter *reporter)
{
	if (*reporter->standing != '\0')
		return reporter->standing;
	return reporter->verified_ms > 0 ? "verified" : "unverified";
}

json_t *reporter_json(struct rt_ctx *ctx, const struct eds_reporter *reporter)
{
	json_t *object = json_object();

	rt_json_set_text(ctx, object, "domain", reporter->domain);
	rt_json_set_text(ctx, object, "standing", standing_of(reporter));
	rt_json_set_text(
		ctx, object, "decision", *reporter->standing != '\0' ? reporter->standing : NULL);
	set_time(ctx, object, "firstSeenAt", reporter->first_seen_ms);
	set_time(ctx, object, "lastSeenAt", reporter->last_seen_ms);
	set_time(ctx, object, "verifiedAt", reporter->verified_ms);
	rt_json_set(object, "verifiedReports", json_integer(reporter->verified_reports));
	rt_json_set(object, "otherReports", json_integer(reporter->other_reports));
	return object;
}
