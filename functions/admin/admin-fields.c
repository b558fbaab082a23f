#include "functions/admin/admin-fields.h"
#include "runtime/time.h"

#include <string.h>

static bool has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

rt_status eds_admin_name(
	struct rt_ctx *ctx, const json_t *input, const char *field, const char **name)
{
	*name = rt_json_string(input, field);
	if (*name != NULL && **name != '\0' && strlen(*name) <= EDS_ACCOUNT_NAME_MAX &&
		!has_control(*name))
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
		"\"%s\" must be a string of 1 to %d octets without control characters", field,
		EDS_ACCOUNT_NAME_MAX);
}

rt_status eds_admin_plan(struct rt_ctx *ctx, const json_t *input, enum eds_plan *plan)
{
	const char *name = rt_json_string(input, "plan");

	if (name != NULL && eds_plan_parse(name, plan))
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid", "\"plan\" must be \"free\" or \"paid\"");
}

rt_status eds_admin_expiry(struct rt_ctx *ctx, const json_t *input, int64_t *expires_at_ms)
{
	const json_t *value = json_object_get(input, "expiresAt");

	*expires_at_ms = 0;
	if (value == NULL || json_is_null(value))
		return RT_OK;
	if (json_is_string(value) && rt_time_parse(json_string_value(value), expires_at_ms) &&
		*expires_at_ms > rt_wall_ms())
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
		"\"expiresAt\" must be a future time like 2030-01-31T00:00:00Z, or null for "
		"never");
}
