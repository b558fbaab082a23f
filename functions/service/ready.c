/* service-ready: GET /readyz, on the operations port
 *
 * out   200 {"status": "ok", "parts": {"database": {"state": "ok", "milliseconds": 1}, …}}
 *       200 {"status": "degraded", …} while the mail store or the resolver does not answer, a disk
 *       has less than 1 MiB free, nothing can be written to the database, a helper program is
 *       missing, or the spool cannot be written or holds damaged mail: requests that only read are
 *       served, but mail may be refused for now, wait or be lost, changes may fail, and results may
 *       say that something could not be judged
 *       503 {"status": "unavailable", …} while the database does not answer: every request fails
 *
 * A part that does not work has {"state": "away", "reason": "…"}.
 */
#include "functions/service/parts.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

static json_t *part_json(
	struct rt_ctx *ctx, const struct service_state *state, enum service_part part)
{
	const char *reason = state->reason[part];
	json_t *object = json_object();

	rt_json_set_text(ctx, object, "state", reason == NULL ? "ok" : "away");
	if (reason != NULL)
		rt_json_set_text(ctx, object, "reason", reason);
	rt_json_set(object, "milliseconds", json_integer(state->ms[part]));
	return object;
}

static const char *status_word(const struct service_state *state)
{
	if (!state->database_answers)
		return "unavailable";
	for (enum service_part part = 0; part < SERVICE_PARTS; part++)
		if (state->reason[part] != NULL)
			return "degraded";
	return "ok";
}

static rt_status answer(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	json_t *body = json_object();
	json_t *parts = json_object();
	struct service_state state;

	(void)req;
	service_look(ctx, &state);
	for (enum service_part part = 0; part < SERVICE_PARTS; part++)
		rt_json_set(parts, service_part_name(part), part_json(ctx, &state, part));
	rt_json_set_text(ctx, body, "status", status_word(&state));
	rt_json_set(body, "parts", parts);
	return rt_respond_json(ctx, res, state.database_answers ? 200 : 503, body);
}

int main(int argc, char **argv)
{
	rt_takes_any_query();
	return rt_main_http(argc, argv, answer);
}
