/* admin: invoked by the operator, never over HTTP
 *
 * in    {"action": "migrate"}     brings the database's schema up to date, making it when needed
 * out   {"from": 0, "to": 1}      versions of the schema
 * err   action-unknown; store-unavailable
 */
#include <string.h>

#include "functions/lib/store/store.h"
#include "runtime/buffer.h"
#include "runtime/handler.h"

enum {
	ACTION_NAMES_MAX = 1024, /* bytes of the sentence that lists them */
};

static rt_status migrate(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	int from;
	int to;

	(void)input;
	RT_TRY(eds_store_migrate(ctx, &from, &to));
	*answer = json_object();
	rt_json_set(*answer, "from", json_integer(from));
	rt_json_set(*answer, "to", json_integer(to));
	return RT_OK;
}

static const struct {
	const char *name;
	rt_direct_handler run;
} actions[] = {
	{"migrate", migrate},
};

static rt_status unknown_action(struct rt_ctx *ctx)
{
	struct rt_buffer names;

	rt_buffer_init(&names, ctx, ACTION_NAMES_MAX);
	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		rt_buffer_format(&names, "%s%s", i > 0 ? ", " : "", actions[i].name);
	return rt_fail(
		ctx, RT_BAD_INPUT, "action-unknown", "\"action\" must be one of: %s", names.bytes);
}

static rt_status run_action(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	const char *action = rt_json_string(input, "action");

	for (size_t i = 0; action != NULL && i < sizeof actions / sizeof actions[0]; i++)
		if (strcmp(action, actions[i].name) == 0)
			return actions[i].run(ctx, input, answer);
	return unknown_action(ctx);
}

int main(int argc, char **argv)
{
	return rt_main_direct(argc, argv, run_action);
}
