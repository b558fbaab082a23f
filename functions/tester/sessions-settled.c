/* tester-sessions-settled: asked by the runner, for the HTTP requests that wait for a session
 * (runtime/host/gateway/waits.h)
 *
 * in    {"names": ["mfrggzdfmztwq2lknnwg23tpoa", …]}, test ids
 * out   {"settled": ["mfrg…"]}: the ids of sessions that are completed, expired or unknown
 * err   names-invalid; store-unavailable
 */
#include "functions/lib/store/tester/session-settled.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"

enum {
	NAMES_MAX = 4096,
};

static rt_status read_names(
	struct rt_ctx *ctx, const json_t *input, const char ***names, size_t *count)
{
	const json_t *list = json_object_get(input, "names");

	*count = json_array_size(list);
	if (!json_is_array(list) || *count > NAMES_MAX)
		return rt_fail(ctx, RT_BAD_INPUT, "names-invalid",
			"the input needs an array \"names\" of at most %d names", NAMES_MAX);
	*names = rt_alloc_array(ctx, *count + 1, sizeof **names);
	for (size_t i = 0; i < *count; i++) {
		(*names)[i] = json_string_value(json_array_get(list, i));
		if ((*names)[i] == NULL)
			return rt_fail(
				ctx, RT_BAD_INPUT, "names-invalid", "a name is not a string");
	}
	return RT_OK;
}

static rt_status find_settled(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	json_t *settled = json_array();
	struct eds_store *store;
	const char **names;
	bool *is_settled;
	size_t count;

	RT_TRY(read_names(ctx, input, &names, &count));
	RT_TRY(eds_store_open(ctx, &store));
	is_settled = rt_alloc_array(ctx, count + 1, sizeof *is_settled);
	RT_TRY(eds_store_sessions_settled(ctx, store, names, count, is_settled));
	for (size_t i = 0; i < count; i++)
		if (is_settled[i])
			rt_json_append(settled, json_string(names[i]));
	*answer = json_object();
	rt_json_set(*answer, "settled", settled);
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_direct(argc, argv, find_settled);
}
