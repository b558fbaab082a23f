/* CPU of all processes, and the memory of the largest, for reading a mail with reports.
 *
 *     reports FILE RUNS     {"cpuUs": 812.4, "peakKb": 9120, "messages": 1200}, CPU for one run
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "functions/lib/reports/reader.h"
#include "functions/lib/sandbox/helper.h"
#include "runtime/time.h"

enum {
	EVENT_MS = 60000,
	PATH_BYTES = 4096,
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "reports: %s\n", what);
	exit(1);
}

static double cpu_us(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
		(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void use_built_reader(void)
{
	static char path[PATH_BYTES];
	static struct eds_helper_spec spec = {
		.path = path, .sandbox = RT_SANDBOX_REQUIRED, .silence_ms = EVENT_MS};
	ssize_t length = readlink("/proc/self/exe", path, sizeof path / 2);

	while (length > 0 && path[length] != '/')
		length--;
	snprintf(path + length, sizeof path - (size_t)length, "/../../libexec/eds-report-reader");
	eds_helper_use(EDS_HELPER_REPORT_READER, &spec);
}

/* The number of messages in the reports of the mail. */
static uint64_t read_once(struct rt_ctx *ctx, int fd, size_t bytes)
{
	struct eds_reports reports;
	uint64_t messages = 0;

	ctx->deadline_ms = rt_monotonic_ms() + EVENT_MS;
	if (eds_report_read(ctx, fd, bytes, &reports) != RT_OK)
		die(ctx->failure.detail);
	for (size_t i = 0; i < reports.count; i++) {
		if (reports.items[i].fault != NULL)
			die(reports.items[i].fault);
		messages += reports.items[i].messages;
	}
	rt_arena_reset(ctx->arena);
	return messages;
}

/* The processor time of the helper's children is counted when the helper is reaped. */
int main(int argc, char **argv)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	int runs = argc == 3 ? atoi(argv[2]) : 0;
	int fd = runs > 0 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct rusage children;
	struct stat status;
	uint64_t messages = 0;
	double own;

	if (fd < 0 || fstat(fd, &status) != 0)
		die("usage: reports FILE RUNS");
	use_built_reader();
	own = cpu_us(RUSAGE_SELF);
	for (int i = 0; i < runs; i++)
		messages = read_once(&ctx, fd, (size_t)status.st_size);
	own = cpu_us(RUSAGE_SELF) - own;
	eds_helper_end(EDS_HELPER_REPORT_READER);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("{\"cpuUs\": %.1f, \"peakKb\": %ld, \"messages\": %llu}\n",
		(own + cpu_us(RUSAGE_CHILDREN)) / runs, children.ru_maxrss,
		(unsigned long long)messages);
	rt_arena_free(ctx.arena);
	close(fd);
	return 0;
}
