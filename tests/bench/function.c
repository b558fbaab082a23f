/* How fast a function is: cold (exec to the whole answer) and kept (CPU of an event in a
 * stream, and the round trip of one alone).
 *
 *     function PROGRAM EVENT [COLD-RUNS [KEPT-EVENTS]]
 *
 * EVENT is a file with one line of JSON. The environment is handed on. Prints one JSON object with
 * microseconds; CPU is the function's own, of all its threads.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	EVENT_BYTES_MAX = 1 << 20,
	ANSWER_BYTES = 1 << 16,
	ANSWER_WAIT_MS = 30000,
};

static char event[EVENT_BYTES_MAX];
static size_t event_length;

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

static void read_event(const char *path)
{
	FILE *file = fopen(path, "r");

	if (file == NULL)
		die(path);
	event_length = fread(event, 1, sizeof event - 1, file);
	fclose(file);
	while (event_length > 0 && event[event_length - 1] == '\n')
		event_length--;
	event[event_length++] = '\n';
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
	for (size_t sent = 0; sent < event_length;) {
		ssize_t written = write(child->in, event + sent, event_length - sent);

		if (written <= 0)
			die("write");
		sent += (size_t)written;
	}
}

static void read_answer(const struct child *child)
{
	struct pollfd readable = {.fd = child->out, .events = POLLIN};
	static char answer[ANSWER_BYTES];
	ssize_t got;

	do {
		if (poll(&readable, 1, ANSWER_WAIT_MS) != 1)
			die("no answer");
		got = read(child->out, answer, sizeof answer);
		if (got <= 0)
			die("answer");
	} while (answer[got - 1] != '\n');
}

static void stop(const struct child *child, struct rusage *usage)
{
	int status;

	close(child->in);
	close(child->out);
	if (wait4(child->pid, &status, 0, usage) != child->pid)
		die("wait");
	if (status != 0)
		fprintf(stderr, "the function ended with status %d\n", status);
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
		struct rusage usage;

		send_event(&child);
		close(child.in);
		child.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		read_answer(&child);
		times[i] = now_us() - begin_us;
		stop(&child, &usage);
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

/* One event at a time, as a supervisor sends them: what it takes is mostly waking up. */
static double round_trip_us(const char *program, size_t events)
{
	struct child child = start(program, "--kept");
	struct rusage usage;
	double begin_us;

	send_event(&child);
	read_answer(&child);
	begin_us = now_us();
	for (size_t i = 0; i < events; i++) {
		send_event(&child);
		read_answer(&child);
	}
	begin_us = now_us() - begin_us;
	stop(&child, &usage);
	return begin_us / (double)events;
}

static pid_t start_writer(const struct child *child, size_t events)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	for (size_t i = 0; i < events; i++)
		send_event(child);
	_exit(0);
}

static size_t count_lines(const char *bytes, ssize_t length)
{
	size_t lines = 0;

	for (ssize_t i = 0; i < length; i++)
		lines += bytes[i] == '\n';
	return lines;
}

/* The events in a stream, so that the work itself is measured. What starting costs is in it, and
 * does not show with many events. */
static double kept_cpu_us(const char *program, size_t events)
{
	struct child child = start(program, "--kept");
	pid_t writer = start_writer(&child, events);
	static char answers[ANSWER_BYTES];
	struct rusage usage;

	for (size_t seen = 0; seen < events;) {
		ssize_t got = read(child.out, answers, sizeof answers);

		if (got <= 0)
			die("answers");
		seen += count_lines(answers, got);
	}
	waitpid(writer, NULL, 0);
	stop(&child, &usage);
	return (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1e6 / (double)events;
}

static size_t count_argument(int argc, char **argv, int index, size_t otherwise)
{
	return argc > index ? (size_t)strtoul(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	size_t events = count_argument(argc, argv, 4, 50000);

	if (argc < 3) {
		fprintf(stderr, "usage: %s PROGRAM EVENT [COLD-RUNS [KEPT-EVENTS]]\n", argv[0]);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	read_event(argv[2]);
	printf("{\"coldUs\":%.0f,\"keptCpuUs\":%.1f,\"roundTripUs\":%.1f}\n",
		cold_us(argv[1], count_argument(argc, argv, 3, 200)), kept_cpu_us(argv[1], events),
		round_trip_us(argv[1], events));
	return 0;
}
