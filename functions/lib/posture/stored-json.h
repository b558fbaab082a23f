/* The stored posture of a domain, as the API shows it. */
#ifndef EDS_POSTURE_STORED_JSON_H
#define EDS_POSTURE_STORED_JSON_H

#include "functions/lib/posture/stored.h"

/* Sets "checkedAt", "changedAt", "state", "records" and "items"; the items are those of
 * eds_posture_put(), each with its own "checkedAt" and "changedAt". Leaves out stored data that
 * cannot be parsed. */
void eds_posture_stored_put(
	struct rt_ctx *ctx, const struct eds_posture_memory *memory, json_t *object);

/* Both functions read stored data. eds_posture_stored_array() returns the array in the text, or an
 * empty array when there is none; eds_posture_stored_number() returns an integer of an item, or
 * `otherwise` when the item does not have it. */
json_t *eds_posture_stored_array(struct rt_ctx *ctx, const char *text);
int64_t eds_posture_stored_number(const json_t *item, const char *key, int64_t otherwise);

#endif
