#include "functions/mta-sts/patch.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/mta-sts/pattern.h"
#include "functions/mta-sts/change-news.h"
#include "runtime/event/event-http.h"
#include "runtime/event/event.h"

/* Reads the value of one field. For an invalid value it calls rt_fail_field() and returns false. */
typedef bool (*field_reader)(struct rt_ctx *ctx, const json_t *value, struct patch *patch);

static bool is_boolean(struct rt_ctx *ctx, const json_t *value, const char *field)
{
	if (!json_is_boolean(value))
		rt_fail_field(ctx, field, "true or false is required");
	return json_is_boolean(value);
}

static bool read_enabled(struct rt_ctx *ctx, const json_t *value, struct patch *patch)
{
	patch->has_enabled = true;
	patch->enabled = json_is_true(value);
	return is_boolean(ctx, value, "enabled");
}

static bool read_hosted(struct rt_ctx *ctx, const json_t *value, struct patch *patch)
{
	patch->has_hosted = true;
	patch->hosted = json_is_true(value);
	return is_boolean(ctx, value, "hosted");
}

static bool read_mode(struct rt_ctx *ctx, const json_t *value, struct patch *patch)
{
	const char *mode = json_is_string(value) ? json_string_value(value) : "";

	patch->has_mode = true;
	patch->mode = eds_policy_mode_named(mode);
	if (patch->mode != EDS_POLICY_UNKNOWN)
		return true;
	rt_fail_field(ctx, "mode", "\"testing\", \"enforce\" or \"none\" is required");
	return false;
}

static bool read_max_age(struct rt_ctx *ctx, const json_t *value, struct patch *patch)
{
	patch->has_max_age = true;
	patch->max_age_s = json_integer_value(value);
	if (json_is_integer(value) && patch->max_age_s >= MAX_AGE_S_MIN &&
		patch->max_age_s <= MAX_AGE_S_MAX)
		return true;
	rt_fail_field(ctx, "maxAge", "a whole number of seconds from %d to %d is required",
		MAX_AGE_S_MIN, MAX_AGE_S_MAX);
	return false;
}

static bool is_among(const struct eds_mx_patterns *patterns, const char *pattern)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (strcmp(patterns->items[i], pattern) == 0)
			return true;
	return false;
}

/* The normalized pattern; NULL for an invalid or repeated pattern, which is reported with
 * rt_fail_field(). */
static const char *read_pattern(
	struct rt_ctx *ctx, const json_t *value, const struct eds_mx_patterns *before, size_t index)
{
	const char *field = rt_printf(ctx, "mxPatterns[%zu]", index);
	const char *pattern = NULL;

	if (json_is_string(value))
		pattern = eds_mta_sts_pattern_normalize(
			ctx, json_string_value(value), json_string_length(value));
	if (pattern == NULL) {
		rt_fail_field(ctx, field,
			"a host name like mail.example.com or a pattern like *.example.com is "
			"required");
		return NULL;
	}
	if (!is_among(before, pattern))
		return pattern;
	rt_fail_field(ctx, field, "%s is already in the list", pattern);
	return NULL;
}

static bool read_patterns(struct rt_ctx *ctx, const json_t *value, struct patch *patch)
{
	size_t count = json_array_size(value);
	const char **items;
	bool good = true;

	patch->has_patterns = true;
	if (!json_is_array(value) || count > EDS_MX_PATTERNS_MAX) {
		rt_fail_field(ctx, "mxPatterns", "a list of %d patterns at most is required",
			EDS_MX_PATTERNS_MAX);
		return false;
	}
	items = rt_alloc_array(ctx, count + 1, sizeof *items);
	patch->patterns.items = items;
	for (size_t i = 0; i < count; i++) {
		const char *pattern = read_pattern(
			ctx, json_array_get(value, i), &patch->patterns, i);

		good = good && pattern != NULL;
		if (pattern != NULL)
			items[patch->patterns.count++] = pattern;
	}
	return good;
}

static const char *const FIELDS[] = {"enabled", "mode", "maxAge", "mxPatterns", "hosted"};
static const field_reader READERS[] = {
	read_enabled, read_mode, read_max_age, read_patterns, read_hosted};

enum {
	FIELD_COUNT = sizeof FIELDS / sizeof FIELDS[0],
};

rt_status patch_read(struct rt_ctx *ctx, const json_t *body, struct patch *patch)
{
	bool good = true;

	*patch = (struct patch){0};
	RT_TRY(rt_body_only(ctx, body, FIELDS, FIELD_COUNT));
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const json_t *value = json_object_get(body, FIELDS[i]);

		if (value != NULL && !READERS[i](ctx, value, patch))
			good = false;
	}
	return good ? RT_OK
		    : rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
			      "the body has a field whose value is not allowed");
}

/* True if the patch would set mode enforce again for a policy whose hosting should have ended,
 * because the plan no longer includes hosting. That is refused: the policy would have to be hosted
 * for another max_age.
 */
static bool goes_back_to_enforce(const struct eds_mta_sts *before, const struct eds_mta_sts *after)
{
	return before->plan != EDS_PLAN_PAID && after->hosted &&
		after->mode == EDS_POLICY_ENFORCE && before->mode != EDS_POLICY_ENFORCE &&
		before->hosting_ends_at_ms > EDS_HOSTING_UNTOLD &&
		before->hosting_ends_at_ms <= rt_wall_ms();
}

static rt_status check_result(
	struct rt_ctx *ctx, const struct eds_mta_sts *before, const struct eds_mta_sts *after)
{
	if (after->mode == EDS_POLICY_ENFORCE && after->patterns.count == 0) {
		rt_fail_field(ctx, "mxPatterns", "mode enforce needs at least one pattern");
		return rt_fail(ctx, RT_BAD_INPUT, "mx-patterns-missing",
			"mode enforce without an MX pattern would stop all mail to the domain");
	}
	if ((after->hosted && !before->hosted && before->plan != EDS_PLAN_PAID) ||
		goes_back_to_enforce(before, after))
		return rt_fail(ctx, RT_FORBIDDEN, "hosting-not-in-plan",
			"hosted MTA-STS is a paid feature that the plan does not include");
	return RT_OK;
}

rt_status patch_apply(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	const struct patch *patch = arg;
	struct eds_mta_sts before = *config;

	if (patch->has_enabled)
		config->enabled = patch->enabled;
	if (patch->has_mode)
		config->mode = patch->mode;
	if (patch->has_max_age)
		config->max_age_s = patch->max_age_s;
	if (patch->has_patterns)
		config->patterns = patch->patterns;
	if (patch->has_hosted)
		config->hosted = patch->hosted;
	config->news = mta_sts_switch_news(ctx, &before, config);
	return check_result(ctx, &before, config);
}
