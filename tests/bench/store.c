/* The cost of the store, on the database that EDS_DATABASE_URL names.
 *
 *     store read COUNT           {"us": 61.2, "cpuUs": 14.0}: COUNT look-ups of one session
 *     store write COUNT          the same of one session made
 *     store writers N SECONDS    {"perSecond": 1834.0}: sessions made by N processes at once
 *
 * After its output the program keeps its connection until the end of its input, so that the caller
 * can measure the processor time of the server's process for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/store/store.h"
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/tester/session.h"
#include "runtime/config/config.h"
#include "runtime/time.h"

enum {
	EVENT_MS = 10000,
	PER_HOUR = 60,
	WORKERS_MAX = 64,
	CLIENT_MAX = 32,
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "store: %s\n", what);
	exit(1);
}

static double cpu_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
		(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static struct eds_store *next_event(struct rt_ctx *ctx)
{
	struct eds_store *store;

	if (ctx->arena == NULL)
		ctx->arena = rt_arena_new();
	rt_arena_reset(ctx->arena);
	rt_fail_clear(ctx);
	ctx->deadline_ms = rt_monotonic_ms() + EVENT_MS;
	if (eds_store_open(ctx, &store) != RT_OK)
		die(ctx->failure.detail);
	return store;
}

/* Each session is for a client of its own, because sessions of one client must be counted. */
static void make_session(struct rt_ctx *ctx, char id[EDS_TEST_ID_LENGTH + 1])
{
	static int made;
	struct eds_session session;
	char client[CLIENT_MAX];

	snprintf(client, sizeof client, "%d-%d", (int)getpid(), made++);

	if (eds_store_session_create(ctx, next_event(ctx), client, PER_HOUR, &session) != RT_OK)
		die(ctx->failure.detail);
	snprintf(id, EDS_TEST_ID_LENGTH + 1, "%s", session.test_id);
}

static void look_up(struct rt_ctx *ctx, const char *id)
{
	struct eds_session session;

	if (eds_store_session_get(ctx, next_event(ctx), id, &session) != RT_OK)
		die(ctx->failure.detail);
}

static void measure(bool write, int count)
{
	char id[EDS_TEST_ID_LENGTH + 1];
	struct rt_ctx ctx = {.function = "bench"};
	int64_t began_ms;
	double cpu;

	make_session(&ctx, id);
	cpu = cpu_us();
	began_ms = rt_monotonic_ms();
	for (int i = 0; i < count; i++) {
		if (write)
			make_session(&ctx, id);
		else
			look_up(&ctx, id);
	}
	printf("{\"us\": %.1f, \"cpuUs\": %.1f}\n",
		(double)(rt_monotonic_ms() - began_ms) * 1000 / count, (cpu_us() - cpu) / count);
}

static void work(int seconds, int64_t *made)
{
	char id[EDS_TEST_ID_LENGTH + 1];
	struct rt_ctx ctx = {.function = "bench"};
	int64_t end_ms;

	make_session(&ctx, id);
	for (end_ms = rt_monotonic_ms() + seconds * 1000; rt_monotonic_ms() < end_ms; ++*made)
		make_session(&ctx, id);
	exit(0);
}

static void measure_writers(int workers, int seconds)
{
	int64_t *made = mmap(NULL, WORKERS_MAX * sizeof *made, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int64_t all = 0;
	int status;

	if (made == MAP_FAILED || workers > WORKERS_MAX)
		die("too many workers");
	for (int i = 0; i < workers; i++)
		if (fork() == 0)
			work(seconds, &made[i]);
	while (wait(&status) > 0)
		if (status != 0)
			die("a writer failed");
	for (int i = 0; i < workers; i++)
		all += made[i];
	printf("{\"perSecond\": %.1f}\n", (double)all / seconds);
}

int main(int argc, char **argv)
{
	rt_config_require();
	if (argc == 3 && (strcmp(argv[1], "read") == 0 || strcmp(argv[1], "write") == 0))
		measure(argv[1][0] == 'w', (int)strtol(argv[2], NULL, 10));
	else if (argc == 4 && strcmp(argv[1], "writers") == 0)
		measure_writers((int)strtol(argv[2], NULL, 10), (int)strtol(argv[3], NULL, 10));
	else
		die("read COUNT | write COUNT | writers N SECONDS");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	return 0;
}
