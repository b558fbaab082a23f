/* A handler for tests of hosts of functions: its answer has the unchanged event in it, and facts
 * about its process. The member "do" of the event, or else its "id", asks for another behavior:
 * fail, crash, sleep, pause, large-BYTES, partly. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/event/handler.h"
#include "runtime/json-format.h"

enum {
	SLEEP_SECONDS = 600,
};

static const char *wish_of(const json_t *event)
{
	const char *wish = rt_json_string(event, "do");

	if (wish == NULL)
		wish = rt_json_string(event, "id");
	return wish == NULL ? "" : wish;
}

static void large(struct rt_ctx *ctx, json_t *answer, size_t bytes)
{
	char *text = rt_alloc(ctx, bytes + 1);

	memset(text, 'x', bytes);
	rt_json_set_text(ctx, answer, "large", text);
}

static void partly(struct rt_ctx *ctx, json_t *answer)
{
	json_t *failures = json_array();
	json_t *failed = json_object();

	rt_json_set_text(ctx, failed, "itemIdentifier", "m1");
	rt_json_append(failures, failed);
	rt_json_set(answer, "batchItemFailures", failures);
}

static void describe(struct rt_ctx *ctx, const json_t *event, json_t *answer)
{
	const char *trace = getenv(RT_TRACE_VARIABLE);

	rt_json_set(answer, "event", json_deep_copy(event));
	rt_json_set(answer, "pid", json_integer(getpid()));
	rt_json_set_text(ctx, answer, "trace", trace == NULL ? "" : trace);
	rt_json_set_text(ctx, answer, "timeout", getenv("EDS_TIMEOUT_MS"));
}

static rt_status act(struct rt_ctx *ctx, const json_t *event, json_t **answer)
{
	const char *wish = wish_of(event);

	*answer = json_object();
	if (strcmp(wish, "sleep") == 0)
		sleep(SLEEP_SECONDS);
	if (strcmp(wish, "pause") == 0)
		usleep(300000);
	if (strcmp(wish, "crash") == 0)
		raise(SIGKILL);
	if (strcmp(wish, "fail") == 0)
		return rt_fail(ctx, RT_TEMPORARY, "test-failure", "as asked");
	if (strncmp(wish, "large-", 6) == 0)
		large(ctx, *answer, (size_t)strtoul(wish + 6, NULL, 10));
	else if (strcmp(wish, "partly") == 0)
		partly(ctx, *answer);
	else
		describe(ctx, event, *answer);
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_direct(argc, argv, act);
}
