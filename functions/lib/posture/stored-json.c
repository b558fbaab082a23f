#include <string.h>

#include "functions/lib/posture/names.h"
#include "functions/lib/posture/stored-json.h"
#include "functions/lib/posture/stored.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

json_t *eds_posture_stored_array(struct rt_ctx *ctx, const char *text)
{
	json_t *array;

	if (rt_json_parse(ctx, text, strlen(text), &array) == RT_OK && json_is_array(array))
		return array;
	rt_fail_clear(ctx); /* text that cannot be parsed may have been written by a later
			     * version */
	return json_array();
}

int64_t eds_posture_stored_number(const json_t *item, const char *key, int64_t otherwise)
{
	const json_t *value = json_object_get(item, key);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static json_t *shown(struct rt_ctx *ctx, const struct eds_posture_memory *memory, json_t *item)
{
	int64_t at_ms = eds_posture_stored_number(item, "checkedAtMs", memory->checked_at_ms);
	int64_t since_ms = eds_posture_stored_number(item, "changedAtMs", at_ms);

	rt_json_set_text(ctx, item, "checkedAt", rt_time_format(ctx, at_ms));
	rt_json_set_text(ctx, item, "changedAt", rt_time_format(ctx, since_ms));
	json_object_del(item, "checkedAtMs");
	json_object_del(item, "changedAtMs");
	json_object_del(item, "known");
	json_object_del(item, "codes");
	json_object_del(item, "selectorsUntilMs");
	return item;
}

static json_t *shown_items(
	struct rt_ctx *ctx, const struct eds_posture_memory *memory, const json_t *items)
{
	json_t *worst_first = json_array();

	for (int rank = EDS_POSTURE_ERROR; rank >= EDS_POSTURE_OK; rank--)
		for (size_t i = 0; i < json_array_size(items); i++) {
			json_t *item = json_array_get(items, i);
			const char *state = rt_json_string(item, "state");

			if (state != NULL && (int)eds_posture_state_rank(state) == rank)
				rt_json_append(worst_first, json_incref(shown(ctx, memory, item)));
		}
	return worst_first;
}

static json_t *time_json(struct rt_ctx *ctx, int64_t at_ms)
{
	return at_ms != 0 ? rt_json_text(ctx, rt_time_format(ctx, at_ms)) : json_null();
}

void eds_posture_stored_put(
	struct rt_ctx *ctx, const struct eds_posture_memory *memory, json_t *object)
{
	const json_t *items = eds_posture_stored_array(ctx, memory->items);

	rt_json_set(object, "checkedAt", time_json(ctx, memory->checked_at_ms));
	rt_json_set(object, "changedAt", time_json(ctx, memory->changed_at_ms));
	rt_json_set_text(ctx, object, "state", memory->state);
	rt_json_set(object, "items", shown_items(ctx, memory, items));
	rt_json_set(object, "records", eds_posture_stored_array(ctx, memory->records));
}
