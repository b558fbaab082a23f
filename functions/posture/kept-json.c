#include "functions/posture/kept-json.h"
#include "runtime/json-format.h"

#include "functions/lib/posture/stored-json.h"
#include "functions/lib/posture/stored.h"

json_t *posture_json(struct rt_ctx *ctx, const char *domain, const struct eds_posture_kept *kept)
{
	const struct eds_posture_memory memory = {.checked_at_ms = kept->checked_at_ms,
		.changed_at_ms = kept->changed_at_ms,
		.state = kept->state,
		.items = kept->items,
		.records = kept->records};
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "domain", domain);
	eds_posture_stored_put(ctx, &memory, json);
	return json;
}
