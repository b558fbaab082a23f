#include "functions/lib/store/reports/report-named-json.h"
#include "functions/lib/store/reports/report-named.h"
#include "runtime/json-format.h"
#include "runtime/json.h"

/* The letters that stand for the outcomes in the database. A letter must never change its
 * meaning. */
static const struct {
	char letter;
	const char *name;
} outcomes[] = {
	[EDS_NAMED_OPEN] = {'o', "open"},
	[EDS_NAMED_KNOWN] = {'k', "known"},
	[EDS_NAMED_NEW] = {'n', "discovered"},
	[EDS_NAMED_COUNTED] = {'c', "counted-before"},
	[EDS_NAMED_REPORT_FULL] = {'r', "report-full"},
	[EDS_NAMED_DOMAIN_FULL] = {'f', "domain-full"},
	[EDS_NAMED_DEAD_FULL] = {'d', "failed-full"},
	[EDS_NAMED_NO_KEY] = {'u', "no-key"},
	[EDS_NAMED_DOTTED] = {'l', "dotted"},
	[EDS_NAMED_ILLEGAL] = {'i', "illegal"},
	[EDS_NAMED_ELSEWHERE] = {'e', "elsewhere"},
};

const char *eds_named_outcome_name(char letter)
{
	for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++)
		if (outcomes[i].letter == letter)
			return outcomes[i].name;
	return "open";
}

const char *eds_store_named_letters(struct rt_ctx *ctx, const struct eds_report_item *item)
{
	char *letters = rt_alloc(ctx, item->signature_count + 1);

	for (size_t i = 0; i < item->signature_count; i++)
		letters[i] = outcomes[item->named[item->of_signature[i]].outcome].letter;
	return letters;
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
