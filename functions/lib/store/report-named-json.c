/* The selectors of a report as its line of the log tells of them. */
#include "functions/lib/store/report-named.h"
#include "runtime/json.h"

static const char *outcome_name(enum eds_named_outcome outcome)
{
	static const char *const names[] = {
		[EDS_NAMED_OPEN] = "open",
		[EDS_NAMED_KNOWN] = "known",
		[EDS_NAMED_NEW] = "discovered",
		[EDS_NAMED_COUNTED] = "counted-before",
		[EDS_NAMED_REPORT_FULL] = "report-full",
		[EDS_NAMED_DOMAIN_FULL] = "domain-full",
		[EDS_NAMED_FAILED_FULL] = "failed-full",
		[EDS_NAMED_DOTTED] = "dotted",
		[EDS_NAMED_ILLEGAL] = "illegal",
		[EDS_NAMED_ELSEWHERE] = "elsewhere",
	};

	return names[outcome];
}

static json_t *selector_json(struct rt_ctx *ctx, const struct eds_named_selector *named)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "domain", named->domain_name);
	rt_json_set_text(ctx, json, "selector", named->selector);
	return json;
}

const char *eds_store_named_discovered(
	struct rt_ctx *ctx, const struct eds_named_selector *named, size_t count)
{
	json_t *list = NULL;

	for (size_t i = 0; i < count; i++) {
		if (named[i].outcome != EDS_NAMED_NEW)
			continue;
		list = list != NULL ? list : json_array();
		rt_json_append(list, selector_json(ctx, &named[i]));
	}
	return list != NULL ? rt_json_format(ctx, list, NULL) : "[]";
}

const char *eds_store_named_json(
	struct rt_ctx *ctx, const struct eds_named_selector *named, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count && i < EDS_REPORT_SHOWN_MAX; i++) {
		json_t *json = selector_json(ctx, &named[i]);

		rt_json_set_text(ctx, json, "outcome", outcome_name(named[i].outcome));
		rt_json_set(json, "passCount", json_integer(named[i].pass_count));
		rt_json_set(json, "failCount", json_integer(named[i].fail_count));
		rt_json_append(list, json);
	}
	return rt_json_format(ctx, list, NULL);
}
