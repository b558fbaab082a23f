#include "functions/lib/posture/posture-json.h"
#include "functions/lib/posture/names.h"
#include "functions/lib/posture/posture.h"
#include "runtime/json-format.h"

static json_t *record_json(struct rt_ctx *ctx, const struct eds_posture_record *record)
{
	json_t *json;

	if (record->type == NULL)
		return json_null();
	json = json_object();
	rt_json_set_text(ctx, json, "name", record->name);
	rt_json_set_text(ctx, json, "type", record->type);
	rt_json_set_text(ctx, json, "value", record->value);
	rt_json_set_text(ctx, json, "change", record->old != NULL ? "change" : "add");
	rt_json_set_text(ctx, json, "old", record->old);
	return json;
}

static json_t *finding_json(struct rt_ctx *ctx, const struct eds_posture_finding *finding)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "state", eds_posture_state_name(finding->state));
	rt_json_set_text(ctx, json, "code", finding->code);
	rt_json_set_text(ctx, json, "message", finding->message);
	rt_json_set_text(ctx, json, "advice", finding->advice);
	rt_json_set(json, "record", record_json(ctx, &finding->record));
	return json;
}

/* Sorts the findings by state, the worst first; findings with the same state stay in their
 * order. */
static json_t *findings_json(struct rt_ctx *ctx, const struct eds_posture_item *item)
{
	json_t *json = json_array();

	for (int state = EDS_POSTURE_ERROR; state >= EDS_POSTURE_OK; state--)
		for (size_t i = 0; i < item->count; i++)
			if ((int)item->findings[i].state == state)
				rt_json_append(json, finding_json(ctx, &item->findings[i]));
	return json;
}

json_t *eds_posture_item_json(
	struct rt_ctx *ctx, enum eds_posture_subject subject, const struct eds_posture_item *item)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "name", eds_posture_subject_name(subject));
	rt_json_set_text(ctx, json, "state", eds_posture_state_name(item->state));
	rt_json_set_text(ctx, json, "record", item->record);
	rt_json_set(json, "findings", findings_json(ctx, item));
	rt_json_set(json, "details", item->details != NULL ? item->details : json_null());
	return json;
}

void eds_posture_put(struct rt_ctx *ctx, const struct eds_posture *posture, json_t *object)
{
	json_t *items = json_array();

	rt_json_set_text(ctx, object, "state", eds_posture_state_name(posture->state));
	for (int state = EDS_POSTURE_ERROR; state >= EDS_POSTURE_OK; state--)
		for (size_t i = 0; i < EDS_POSTURE_SUBJECTS; i++)
			if ((int)posture->items[i].state == state && !posture->items[i].left_out)
				rt_json_append(items,
					eds_posture_item_json(ctx, (enum eds_posture_subject)i,
						&posture->items[i]));
	rt_json_set(object, "items", items);
}
