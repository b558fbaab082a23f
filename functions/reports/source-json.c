#include "functions/reports/source-json.h"

#include <string.h>

#include "functions/lib/reports/senders.h"
#include "functions/reports/days.h"
#include "functions/reports/source-finding.h"
#include "functions/reports/source-words.h"
#include "runtime/json.h"

enum { DOMAINS_MAX = 10 }; /* shown of each kind */

/* By the name that DNS confirms, which nobody else can have; else by what the service proves in the
 * domain's own reports: its bounce domain names the address, or it signs. */
static const struct eds_sender *operator_of(
	struct rt_ctx *ctx, const struct eds_report_source *source)
{
	const struct eds_sender *sender = source->name != NULL && *source->name != '\0'
		? eds_sender_of(source->name)
		: NULL;

	for (size_t i = 0; i < source->auth_count && sender == NULL; i++) {
		struct report_word word;

		for (const char *at = report_word_first(source->auths[i].auth);
			sender == NULL && report_word_read(ctx, &at, &word);)
			if (word.passed && word.is_spf)
				sender = eds_sender_of(word.domain);
	}
	return sender;
}

static enum report_source_class class_of(
	const struct eds_report_source *source, const struct eds_sender *sender)
{
	const struct eds_report_sum *sum = &source->sum;

	if ((sender != NULL && sender->kind == EDS_SENDER_FORWARDER) ||
		sum->forwarded > sum->passed + sum->failed)
		return REPORT_SOURCE_FORWARDER;
	return sender != NULL ? REPORT_SOURCE_SERVICE : REPORT_SOURCE_UNKNOWN;
}

enum report_source_class report_source_class(
	struct rt_ctx *ctx, const struct eds_report_source *source)
{
	return class_of(source, operator_of(ctx, source));
}

const char *report_source_class_name(enum report_source_class class)
{
	static const char *const names[] = {
		[REPORT_SOURCE_SERVICE] = "service",
		[REPORT_SOURCE_UNKNOWN] = "unknown",
		[REPORT_SOURCE_FORWARDER] = "forwarder",
	};

	return names[class];
}

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

json_t *report_source_json(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report_source *source)
{
	const struct eds_sender *sender = operator_of(ctx, source);
	bool is_named = source->name != NULL && *source->name != '\0';
	json_t *json = json_object();

	rt_json_set(json, "source",
		*source->sum.key != '\0' ? json_string(source->sum.key) : json_null());
	rt_json_set(json, "name", is_named ? rt_json_text(ctx, source->name) : json_null());
	rt_json_set(
		json, "operator", sender != NULL ? rt_json_text(ctx, sender->name) : json_null());
	rt_json_set_text(ctx, json, "class", report_source_class_name(class_of(source, sender)));
	set_sums(ctx, json, &source->sum);
	set_domains(ctx, json, source);
	rt_json_set(json, "finding", report_source_finding(ctx, domain, source));
	return json;
}
