#include "functions/reports/sources/source-json.h"

#include <string.h>

#include "functions/lib/dnsbl/dnsbl.h"
#include "functions/reports/rows/days.h"
#include "functions/reports/sources/source-finding.h"
#include "functions/reports/sources/source-operator.h"
#include "functions/reports/sources/source-words.h"
#include "runtime/json-format.h"
#include "runtime/json.h"

enum { DOMAINS_MAX = 10 }; /* maximum number of domains shown of each kind */

static void add_once(struct rt_ctx *ctx, json_t *list, const char *name)
{
	if (name == NULL || json_array_size(list) == DOMAINS_MAX)
		return;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(json_string_value(json_array_get(list, i)), name) == 0)
			return;
	rt_json_append(list, rt_json_text(ctx, name));
}

static void set_domains(struct rt_ctx *ctx, json_t *json, const struct eds_report_source *source)
{
	json_t *from = json_array();
	json_t *dkim = json_array();
	json_t *spf = json_array();

	for (size_t i = 0; i < source->auth_count; i++) {
		const char *auth = source->auths[i].auth;
		struct report_word word;

		add_once(ctx, from, report_word_from(ctx, auth));
		for (const char *at = report_word_first(auth); report_word_read(ctx, &at, &word);)
			if (word.passed)
				add_once(ctx, word.is_spf ? spf : dkim, word.domain);
	}
	rt_json_set(json, "headerFrom", from);
	rt_json_set(json, "dkimDomains", dkim);
	rt_json_set(json, "spfDomains", spf);
}

static void set_sums(struct rt_ctx *ctx, json_t *json, const struct eds_report_sum *sum)
{
	rt_json_set(json, "messages", json_integer(sum->passed + sum->forwarded + sum->failed));
	rt_json_set(json, "passed", json_integer(sum->passed));
	rt_json_set(json, "forwarded", json_integer(sum->forwarded));
	rt_json_set(json, "failed", json_integer(sum->failed));
	rt_json_set(json, "firstDay", report_day_json(ctx, sum->first_day));
	rt_json_set(json, "lastDay", report_day_json(ctx, sum->last_day));
}

static json_t *network_json(struct rt_ctx *ctx, const struct eds_report_source *source)
{
	json_t *json;

	if (source->asn == 0)
		return json_null();
	json = json_object();
	rt_json_set_text(ctx, json, "prefix", source->network);
	rt_json_set(json, "asn", json_integer(source->asn));
	rt_json_set(json, "name",
		*source->as_name != '\0' ? rt_json_text(ctx, source->as_name) : json_null());
	return json;
}

static const char *list_state(char letter)
{
	if (letter == EDS_SOURCE_LISTED)
		return "listed";
	return letter == EDS_SOURCE_CLEAN ? "clean" : "unknown";
}

static json_t *lists_json(struct rt_ctx *ctx, const struct eds_report_source *source)
{
	const char *lists = source->lists != NULL ? source->lists : "";
	json_t *json = json_array();

	for (enum rt_dnsbl_kind i = 0; i < RT_DNSBL_KINDS && lists[i] != '\0'; i++) {
		json_t *list;

		if (lists[i] == EDS_SOURCE_NOT_ASKED)
			continue;
		list = json_object();
		rt_json_set_text(ctx, list, "list", eds_dnsbl_label(i));
		rt_json_set_text(ctx, list, "state", list_state(lists[i]));
		rt_json_append(json, list);
	}
	return json;
}

json_t *report_source_json(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report_source *source)
{
	const struct eds_sender *sender = report_source_operator(ctx, source);
	bool is_named = source->name != NULL && *source->name != '\0';
	json_t *json = json_object();

	rt_json_set(json, "source",
		*source->sum.key != '\0' ? json_string(source->sum.key) : json_null());
	rt_json_set(json, "name", is_named ? rt_json_text(ctx, source->name) : json_null());
	rt_json_set(
		json, "operator", sender != NULL ? rt_json_text(ctx, sender->name) : json_null());
	rt_json_set(json, "network", network_json(ctx, source));
	rt_json_set(json, "lists", lists_json(ctx, source));
	rt_json_set_text(
		ctx, json, "class", report_source_class_name(report_source_class(ctx, source)));
	set_sums(ctx, json, &source->sum);
	set_domains(ctx, json, source);
	rt_json_set(json, "finding", report_source_finding(ctx, domain, source));
	return json;
}
