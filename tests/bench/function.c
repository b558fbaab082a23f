/* The speed of a function: cold (exec to the whole answer), in a stream (CPU of an event, and
 * memory after the last), and one event at a time (CPU of an event, and its round trip).
 *
 *     function PROGRAM EVENTS [COLD-RUNS [STREAM-EVENTS [SINGLE-EVENTS]]]
 *
 * EVENTS is a file with one line of JSON for each event; the three measurements use them in turn.
 * The function gets this program's environment. Prints one JSON object with microseconds and KB;
 * CPU includes all processes that the function starts. A measurement with a count of 0 is
 * left out. An answer with an errorType ends the program with status 1.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	EVENTS_BYTES_MAX = 64 << 20,
	ANSWER_BYTES = 1 << 16,
	ANSWER_WAIT_MS =
		/* the longest wait for an answer, much longer than the time limit of an event, for
		 * a busy machine */
	120000,
};

static struct {
	char *bytes;
	size_t length;
	size_t next; /* the offset at which the next event begins */
} events;

struct cost {
	double cpu_us;
	double round_trip_us;
	long handler_rss_kb;
	long handler_pss_kb;
	long children_pss_kb;
};

struct child {
	pid_t pid;
	int in;
	int out;
};

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void read_events(const char *path)
{
	FILE *file = fopen(path, "r");

	events.bytes = malloc(EVENTS_BYTES_MAX);
	if (file == NULL || events.bytes == NULL)
		die(path);
	events.length = fread(events.bytes, 1, EVENTS_BYTES_MAX, file);
	fclose(file);
	if (events.length == 0 || events.bytes[events.length - 1] != '\n')
		events.bytes[events.length++] = '\n';
}

/* Sets *event to the next event, and returns its length with the newline. */
static size_t next_event(const char **event)
{
	const char *at = events.bytes + events.next;
	const char *newline = memchr(at, '\n', events.length - events.next);
	size_t length = (size_t)(newline + 1 - at);

	events.next = (events.next + length) % events.length;
	*event = at;
	return length;
}

static struct child start(const char *program, const char *argument)
{
	char *argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)argument, NULL};
	extern char **environ;
	posix_spawn_file_actions_t actions;
	struct child child;
	int in[2];
	int out[2];

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		die("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	if (posix_spawn(&child.pid, program, &actions, NULL, argv, environ) != 0)
		die(program);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	child.in = in[1];
	child.out = out[0];
	return child;
}

static void send_event(const struct child *child)
{
	const char *event;
	size_t length = next_event(&event);

	for (size_t sent = 0; sent < length;) {
		ssize_t written = write(child->in, event + sent, length - sent);

		if (written <= 0)
			die("write");
		sent += (size_t)written;
	}
}

/* Ends the program if this piece of an answer reports an error. */
static void check_answer(char *answer, size_t length)
{
	answer[length] = '\0';
	if (strstr(answer, "\"errorType\"") == NULL)
		return;
	fprintf(stderr, "the function failed: %s", answer);
	exit(1);
}

static void read_answer(const struct child *child)
{
	struct pollfd readable = {.fd = child->out, .events = POLLIN};
	static char answer[ANSWER_BYTES + 1];
	ssize_t got;

	do {
		if (poll(&readable, 1, ANSWER_WAIT_MS) != 1)
			die("no answer");
		got = read(child->out, answer, ANSWER_BYTES);
		if (got <= 0)
			die("answer");
		check_answer(answer, (size_t)got);
	} while (answer[got - 1] != '\n');
}

/* Also waits for all processes that the function has started: this process is their reaper. */
static void stop(const struct child *child)
{
	int status;

	close(child->in);
	close(child->out);
	if (waitpid(child->pid, &status, 0) != child->pid)
		die("wait");
	if (status != 0) {
		fprintf(stderr, "the function ended with status %d\n", status);
		exit(1);
	}
	while (wait(NULL) > 0)
		;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a;
	double right = *(const double *)b;

	return (left > right) - (left < right);
}

static double cold_us(const char *program, size_t runs)
{
	double *times = calloc(runs, sizeof *times);
	double median;

	if (times == NULL)
		die("memory");
	for (size_t i = 0; i < runs; i++) {
		double begin_us = now_us();
		struct child child = start(program, NULL);

		send_event(&child);
		close(child.in);
		child.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		read_answer(&child);
		times[i] = now_us() - begin_us;
		stop(&child);
	}
	qsort(times, runs, sizeof *times, by_value);
	median = times[runs / 2];
	free(times);
	return median;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* The CPU time of all processes reaped so far. */
static double reaped_cpu_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1e6;
}

static long smaps_kb(pid_t pid, const char *field)
{
	char path[64];
	char line[256];
	long kb = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	file = fopen(path, "r");
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, field, strlen(field)) == 0)
			kb = strtol(line + strlen(field), NULL, 10);
	if (file != NULL)
		fclose(file);
	return kb;
}

static long children_pss_kb(pid_t parent)
{
	char path[64];
	long kb = 0;
	long pid;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
	file = fopen(path, "r");
	while (file != NULL && fscanf(file, "%ld", &pid) == 1)
		kb += smaps_kb((pid_t)pid, "Pss:");
	if (file != NULL)
		fclose(file);
	return kb;
}

static void read_memory(pid_t pid, struct cost *cost)
{
	cost->handler_rss_kb = smaps_kb(pid, "Rss:");
	cost->handler_pss_kb = smaps_kb(pid, "Pss:");
	cost->children_pss_kb = children_pss_kb(pid);
}

/* Measures one event at a time, as a supervisor sends them; most of the time goes into waking
 * processes. */
static struct cost single_cost(const char *program, size_t count)
{
	struct child child = start(program, "--kept");
	struct cost cost = {0};
	double cpu_before_us = reaped_cpu_us();
	double begin_us = now_us();

	for (size_t i = 0; i < count; i++) {
		if (i == 1)
			begin_us = now_us();
		send_event(&child);
		read_answer(&child);
	}
	cost.round_trip_us = (now_us() - begin_us) / (double)(count - 1);
	stop(&child);
	cost.cpu_us = (reaped_cpu_us() - cpu_before_us) / (double)count;
	return cost;
}

static pid_t start_writer(const struct child *child, size_t count)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		for (size_t i = 0; i < count; i++)
			send_event(child);
		_exit(0);
	}
	for (size_t i = 0; i < count; i++) {
		const char *sent_there;

		next_event(&sent_there);
	}
	return pid;
}

static size_t count_lines(const char *bytes, size_t length)
{
	size_t lines = 0;

	for (size_t i = 0; i < length; i++)
		lines += bytes[i] == '\n';
	return lines;
}

static void read_answers(const struct child *child, size_t count)
{
	static char answers[ANSWER_BYTES + 1];

	for (size_t seen = 0; seen < count;) {
		ssize_t got = read(child->out, answers, ANSWER_BYTES);

		if (got <= 0)
			die("answers");
		seen += count_lines(answers, (size_t)got);
		check_answer(answers, (size_t)got);
	}
}

/* The events in a stream, so that the work itself is measured. The time includes the start, which
 * does not show with many events. */
static struct cost stream_cost(const char *program, size_t count)
{
	struct child child = start(program, "--kept");
	pid_t writer = start_writer(&child, count);
	struct cost cost = {0};
	double cpu_before_us;

	read_answers(&child, count);
	waitpid(writer, NULL, 0);
	cpu_before_us = reaped_cpu_us();
	read_memory(child.pid, &cost);
	stop(&child);
	cost.cpu_us = (reaped_cpu_us() - cpu_before_us) / (double)count;
	return cost;
}

static size_t count_argument(int argc, char **argv, int index, size_t otherwise)
{
	return argc > index ? (size_t)strtoul(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	size_t cold_runs = count_argument(argc, argv, 3, 200);
	size_t stream = count_argument(argc, argv, 4, 50000);
	size_t single = count_argument(argc, argv, 5, stream);

	if (argc < 3) {
		fprintf(stderr, "usage: %s PROGRAM EVENTS [COLD [STREAM [SINGLE]]]\n", argv[0]);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	read_events(argv[2]);
	printf("{");
	if (cold_runs > 0) {
		printf("\"coldUs\":%.0f,", cold_us(argv[1], cold_runs));
		printf("\"coldCpuUs\":%.0f,", reaped_cpu_us() / (double)cold_runs);
	}
	if (stream > 0) {
		struct cost cost = stream_cost(argv[1], stream);

		printf("\"streamCpuUs\":%.1f,\"rssKb\":%ld,\"pssKb\":%ld,\"childrenPssKb\":%ld,",
			cost.cpu_us, cost.handler_rss_kb, cost.handler_pss_kb,
			cost.children_pss_kb);
	}
	if (single > 1) {
		struct cost cost = single_cost(argv[1], single);

		printf("\"singleCpuUs\":%.1f,\"roundTripUs\":%.1f,", cost.cpu_us,
			cost.round_trip_us);
	}
	printf("\"program\":\"%s\"}\n", argv[1]);
	return 0;
}
