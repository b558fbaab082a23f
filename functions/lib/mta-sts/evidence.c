#include "functions/lib/mta-sts/evidence.h"
#include "runtime/json-format.h"

#include <string.h>

static const char *const aliases[] = {
	[EDS_ALIAS_UNKNOWN] = "unknown",
	[EDS_ALIAS_NONE] = "none",
	[EDS_ALIAS_RIGHT] = "right",
	[EDS_ALIAS_OTHER] = "other",
};

static const char *const mx_states[] = {
	[EDS_MX_UNKNOWN] = "unknown",
	[EDS_MX_FOUND] = "found",
	[EDS_MX_IMPLICIT] = "implicit",
	[EDS_MX_NULL] = "null",
};

static const char *const starttls_states[] = {
	[EDS_STARTTLS_UNKNOWN] = "unknown",
	[EDS_STARTTLS_YES] = "yes",
	[EDS_STARTTLS_NO] = "no",
};

#define COUNT(names) ((unsigned)(sizeof(names) / sizeof(names)[0]))

/* The enum value with the given name; 0, the unknown value, for any other name. */
static unsigned value_of(const char *const *names, unsigned count, const char *name)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return 0;
}

static void put_certificate(json_t *json, const struct eds_certificate *certificate)
{
	if (certificate->until_ms == 0)
		return;
	rt_json_set(json, "certificateFrom", json_integer(certificate->from_ms));
	rt_json_set(json, "certificateUntil", json_integer(certificate->until_ms));
}

static struct eds_certificate certificate_of(const json_t *json)
{
	return (struct eds_certificate){
		.from_ms = json_integer_value(json_object_get(json, "certificateFrom")),
		.until_ms = json_integer_value(json_object_get(json, "certificateUntil")),
	};
}

static json_t *mx_json(struct rt_ctx *ctx, const struct eds_mta_sts_seen *seen)
{
	json_t *list = json_array();

	for (size_t i = 0; i < seen->mx_count; i++) {
		const struct eds_mta_sts_mx *mx = &seen->mx[i];
		json_t *item = json_object();

		rt_json_set_text(ctx, item, "host", mx->host);
		rt_json_set_text(ctx, item, "starttls", starttls_states[mx->starttls]);
		rt_json_set_text(ctx, item, "reason", mx->reason);
		rt_json_set(item, "checkedAt", json_integer(mx->checked_at_ms));
		put_certificate(item, &mx->certificate);
		rt_json_append(list, item);
	}
	return list;
}

const char *eds_mta_sts_evidence_format(struct rt_ctx *ctx, const struct eds_mta_sts_seen *seen)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "alias", aliases[seen->alias]);
	rt_json_set_text(ctx, json, "aliasTarget", seen->alias_target);
	put_certificate(json, &seen->certificate);
	rt_json_set(json, "maxAge", json_integer(seen->max_age_s));
	rt_json_set_text(ctx, json, "tlsrpt", eds_tlsrpt_name(seen->tlsrpt));
	rt_json_set_text(ctx, json, "mxState", mx_states[seen->mx_state]);
	rt_json_set(json, "mx", mx_json(ctx, seen));
	rt_json_set(json, "warnings", eds_findings_json(ctx, &seen->warnings));
	return rt_json_format(ctx, json, NULL);
}

static const char *text_of(const json_t *json, const char *key)
{
	const char *text = rt_json_string(json, key);

	return text != NULL ? text : "";
}

static enum eds_tlsrpt tlsrpt_of(const char *name)
{
	for (enum eds_tlsrpt state = EDS_TLSRPT_UNKNOWN; state <= EDS_TLSRPT_INVALID; state++)
		if (strcmp(eds_tlsrpt_name(state), name) == 0)
			return state;
	return EDS_TLSRPT_UNKNOWN;
}

static void read_mx(const json_t *list, struct eds_mta_sts_seen *seen)
{
	size_t count = json_array_size(list);

	for (size_t i = 0; i < count && i < EDS_MTA_STS_MX_MAX; i++) {
		const json_t *item = json_array_get(list, i);

		seen->mx[seen->mx_count++] = (struct eds_mta_sts_mx){
			.host = text_of(item, "host"),
			.starttls = value_of(
				starttls_states, COUNT(starttls_states), text_of(item, "starttls")),
			.reason = text_of(item, "reason"),
			.checked_at_ms = json_integer_value(json_object_get(item, "checkedAt")),
			.certificate = certificate_of(item),
		};
	}
}

static void read_warnings(struct rt_ctx *ctx, const json_t *list, struct eds_mta_sts_seen *seen)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);

		eds_finding_add(ctx, &seen->warnings, text_of(item, "code"), "%s",
			text_of(item, "message"));
	}
}

rt_status eds_mta_sts_evidence_read(
	struct rt_ctx *ctx, const char *text, struct eds_mta_sts_seen *seen)
{
	const json_t *max_age;
	json_t *json;

	*seen = (struct eds_mta_sts_seen){.max_age_s = -1, .alias_target = ""};
	RT_TRY(rt_json_parse(ctx, text, strlen(text), &json));
	seen->alias = value_of(aliases, COUNT(aliases), text_of(json, "alias"));
	seen->alias_target = text_of(json, "aliasTarget");
	seen->certificate = certificate_of(json);
	max_age = json_object_get(json, "maxAge");
	seen->max_age_s = json_is_integer(max_age) ? json_integer_value(max_age) : -1;
	seen->tlsrpt = tlsrpt_of(text_of(json, "tlsrpt"));
	seen->mx_state = value_of(mx_states, COUNT(mx_states), text_of(json, "mxState"));
	read_mx(json_object_get(json, "mx"), seen);
	read_warnings(ctx, json_object_get(json, "warnings"), seen);
	return RT_OK;
}
