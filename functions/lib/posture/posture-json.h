/* The posture of a domain as JSON. */
#ifndef EDS_POSTURE_JSON_H
#define EDS_POSTURE_JSON_H

#include "functions/lib/posture/posture.h"

/* Sets "state", and "items": [{"name", "state", "record", "findings": [{"state", "code", "message",
 * "advice", "record": {"name", "type", "value", "change", "old"} or null}], "details"}], the worst
 * item first. */
void eds_posture_put(struct rt_ctx *ctx, const struct eds_posture *posture, json_t *object);
json_t *eds_posture_item_json(struct rt_ctx *ctx, enum eds_posture_subject subject,
	const struct eds_posture_item *item); /* Returns the item as JSON. */

#endif
