#include "local/single-run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/ctx.h"
#include "runtime/host/pool/handler-env.h"
#include "runtime/io.h"
#include "runtime/kernel.h"
#include "runtime/time.h"

enum {
	KILL_GRACE_MS = 250,
	READ_BYTES = 16 * 1024,
};

struct run {
	pid_t pid;
	int out; /* descriptor from which the answer is read */
	int64_t deadline_ms;
	bool timed_out;
};

static _Noreturn void become_function(const struct manifest_function *function,
	const char **environment, int in, int out, pid_t parent)
{
	char *const arguments[] = {(char *)function->program, NULL};
	struct rlimit data = {handler_data_limit(function), handler_data_limit(function)};

	/* The function gets its own process group, so that its children can be killed with it. */
	setpgid(0, 0);
	if (!rt_end_with(parent) || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(SINGLE_RUN_NOT_STARTED);
	rt_close_from(STDERR_FILENO + 1);
	if (data.rlim_cur > 0 && setrlimit(RLIMIT_DATA, &data) != 0)
		_exit(SINGLE_RUN_NOT_STARTED);
	execve(function->program, arguments, (char *const *)environment);
	_exit(SINGLE_RUN_NOT_STARTED);
}

/* Writes the event into a file without a name, so that no loop has to feed a pipe. */
static int event_file(const char *event, size_t length)
{
	int fd = rt_nameless_file("event");

	if (fd >= 0 && rt_write_all(fd, event, length) && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool start(
	struct run *run, const struct manifest_function *function, const char *event, size_t length)
{
	const char **environment = handler_env_new(function);
	int in = event_file(event, length);
	pid_t parent = getpid();
	int out[2] = {-1, -1};

	run->pid = -1;
	if (in >= 0 && access(function->program, X_OK) == 0 && pipe2(out, O_CLOEXEC) == 0)
		run->pid = fork();
	if (run->pid == 0)
		become_function(function, environment, in, out[1], parent);
	run->out = out[0];
	if (out[1] >= 0)
		close(out[1]);
	if (in >= 0)
		close(in);
	handler_env_free(environment);
	return run->pid > 0;
}

/* Waits for output; false when none comes before the deadline. */
static bool wait_output(struct run *run)
{
	struct pollfd poller = {.fd = run->out, .events = POLLIN};
	int64_t left_ms = run->deadline_ms - rt_monotonic_ms();
	int ready = left_ms <= 0 ? 0 : poll(&poller, 1, (int)left_ms);

	if (ready < 0 && errno == EINTR)
		return true;
	run->timed_out = ready <= 0;
	return ready > 0;
}

static void read_answer(struct run *run, struct rt_buffer *answer)
{
	ssize_t got = 1;

	while (got > 0 && wait_output(run)) {
		char *room = rt_buffer_room(answer, READ_BYTES);

		got = room == NULL ? -1 : read(run->out, room, READ_BYTES);
		if (got > 0)
			rt_buffer_used(answer, (size_t)got);
	}
}

/* Waits for the end of the process. After its last output the function has time until the deadline.
 */
static int wait_end(struct run *run)
{
	struct timespec pause = {0, 1000000};
	int status = 0;

	while (!run->timed_out && waitpid(run->pid, &status, WNOHANG) == 0) {
		run->timed_out = rt_monotonic_ms() >= run->deadline_ms;
		nanosleep(&pause, NULL);
	}
	/* Also ends processes that the function has left behind in its group. */
	kill(-run->pid, SIGKILL);
	if (run->timed_out) {
		waitpid(run->pid, &status, 0);
		return SINGLE_RUN_TIMED_OUT;
	}
	return WIFSIGNALED(status) ? SINGLE_RUN_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int single_run(const struct manifest_function *function, const char *event, size_t length,
	struct rt_buffer *answer)
{
	struct run run = {.deadline_ms = rt_monotonic_ms() + function->timeout_ms + KILL_GRACE_MS};
	int status;

	if (!start(&run, function, event, length)) {
		fprintf(stderr, "runner: %s cannot be started: %m\n", function->program);
		return SINGLE_RUN_NOT_STARTED;
	}
	read_answer(&run, answer);
	status = wait_end(&run);
	close(run.out);
	if (status == SINGLE_RUN_TIMED_OUT)
		fprintf(stderr, "runner: %s did not answer within %d ms and was killed\n",
			function->name, function->timeout_ms);
	else if (status > SINGLE_RUN_SIGNAL)
		fprintf(stderr, "runner: %s was ended by signal %d (%s)\n", function->name,
			status - SINGLE_RUN_SIGNAL, strsignal(status - SINGLE_RUN_SIGNAL));
	return status;
}

enum pool_outcome single_run_outcome(const struct manifest_function *function, const char *event,
	size_t length, struct rt_buffer *answer)
{
	int status = single_run(function, event, length, answer);

	if (status == SINGLE_RUN_TIMED_OUT)
		return POOL_TIMED_OUT;
	return answer->length > 0 && status < SINGLE_RUN_TIMED_OUT ? POOL_ANSWERED : POOL_CRASHED;
}
