#include "functions/tokens/token-json.h"
#include "runtime/event/event-http.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

static rt_status field_invalid(struct rt_ctx *ctx, const char *field, const char *detail)
{
	rt_fail_field(ctx, field, "%s", detail);
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
		"the body has a field whose value is not allowed");
}

static bool has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

static rt_status read_name(struct rt_ctx *ctx, const json_t *body, struct eds_own_token *token)
{
	const char *name = rt_json_string(body, "name");

	if (name == NULL || *name == '\0' || strlen(name) > EDS_ACCOUNT_NAME_MAX ||
		has_control(name))
		return field_invalid(ctx, "name",
			"must be a string of 1 to 100 octets without control characters");
	token->name = name;
	return RT_OK;
}

static rt_status read_access(struct rt_ctx *ctx, const json_t *body, struct eds_own_token *token)
{
	const json_t *value = json_object_get(body, "access");
	const char *access = value != NULL ? json_string_value(value) : "read";

	if (access == NULL || (strcmp(access, "read") != 0 && strcmp(access, "full") != 0))
		return field_invalid(ctx, "access", "must be \"read\" or \"full\"");
	token->read_only = strcmp(access, "read") == 0;
	return RT_OK;
}

static rt_status read_expiry(struct rt_ctx *ctx, const json_t *body, struct eds_own_token *token)
{
	const json_t *value = json_object_get(body, "expiresAt");

	if (value == NULL || json_is_null(value))
		return RT_OK;
	if (json_is_string(value) &&
		rt_time_parse(json_string_value(value), &token->expires_at_ms) &&
		token->expires_at_ms > rt_wall_ms())
		return RT_OK;
	return field_invalid(ctx, "expiresAt",
		"must be a future time like 2030-01-31T00:00:00Z, or null for never");
}

static bool is_among(const struct eds_own_token *token, const char *id)
{
	for (size_t i = 0; i < token->domain_count; i++)
		if (strcmp(token->domains[i], id) == 0)
			return true;
	return false;
}

static rt_status read_domains(struct rt_ctx *ctx, const json_t *body, struct eds_own_token *token)
{
	const json_t *value = json_object_get(body, "domains");
	size_t count = json_array_size(value);

	if (value == NULL || json_is_null(value))
		return RT_OK;
	if (count == 0 || count > EDS_TOKEN_DOMAINS_MAX)
		return field_invalid(ctx, "domains",
			"must be an array of 1 to 100 ids of domains, or null for all");
	token->some_domains = true;
	token->domains = rt_alloc_array(ctx, count, sizeof *token->domains);
	for (size_t i = 0; i < count; i++) {
		const char *id = json_string_value(json_array_get(value, i));
		const char *lower = id != NULL ? rt_lower(ctx, id) : NULL;

		if (lower == NULL || is_among(token, lower))
			return field_invalid(ctx, rt_printf(ctx, "domains[%zu]", i),
				"must be the id of a domain that is not in the list yet");
		token->domains[token->domain_count++] = lower;
	}
	return RT_OK;
}

rt_status token_read_new(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_own_token *token)
{
	static const char *const fields[] = {"name", "access", "domains", "expiresAt"};
	json_t *body;

	*token = (struct eds_own_token){0};
	RT_TRY(rt_body_object(ctx, req, &body));
	RT_TRY(rt_body_only(ctx, body, fields, sizeof fields / sizeof fields[0]));
	RT_TRY(read_name(ctx, body, token));
	RT_TRY(read_access(ctx, body, token));
	RT_TRY(read_expiry(ctx, body, token));
	return read_domains(ctx, body, token);
}

static const char *time_or_null(struct rt_ctx *ctx, int64_t time_ms)
{
	return time_ms != 0 ? rt_time_format(ctx, time_ms) : NULL;
}

static json_t *domains_json(const struct eds_own_token *token)
{
	json_t *list = json_array();

	if (!token->some_domains) {
		json_decref(list);
		return json_null();
	}
	for (size_t i = 0; i < token->domain_count; i++)
		rt_json_append(list, json_string(token->domains[i]));
	return list;
}

json_t *token_json(struct rt_ctx *ctx, const struct eds_own_token *token, const char *current_id)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "tokenId", token->id);
	rt_json_set_text(ctx, json, "name", token->name);
	rt_json_set_text(ctx, json, "access", token->read_only ? "read" : "full");
	rt_json_set(json, "domains", domains_json(token));
	rt_json_set_text(ctx, json, "createdAt", rt_time_format(ctx, token->created_at_ms));
	rt_json_set_text(ctx, json, "expiresAt", time_or_null(ctx, token->expires_at_ms));
	rt_json_set_text(ctx, json, "lastUsedAt", time_or_null(ctx, token->used_at_ms));
	rt_json_set(json, "current", json_boolean(strcmp(token->id, current_id) == 0));
	return json;
}

const char *token_etag(struct rt_ctx *ctx, const struct eds_own_token *token)
{
	json_t *json = token_json(ctx, token, "");

	json_object_del(json, "lastUsedAt");
	return rt_data_etag(ctx, json);
}
