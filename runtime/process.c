#include "runtime/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/kernel.h"

enum {
	READ_BYTES = 64 * 1024,
	TAG_BYTES_MAX = 32,
	EXIT_NOT_STARTED = 127,
};

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void limit_data(size_t bytes)
{
	struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};

	if (bytes > 0 && setrlimit(RLIMIT_DATA, &limit) != 0)
		_exit(EXIT_NOT_STARTED);
}

/* A handler that its event wakes must not preempt the supervisor, which serves other handlers.
 * Measured on two processors: a sixth more answers a second, and no longer delays beside a busy
 * neighbor. */
static void take_turns(void)
{
	const struct sched_param none = {.sched_priority = 0};

	if (sched_getscheduler(0) == SCHED_OTHER)
		sched_setscheduler(0, SCHED_BATCH, &none);
}

/* Runs in the child and does not return. */
static _Noreturn void become_handler(
	const struct rt_process_spec *spec, int in, int out, pid_t supervisor)
{
	char *const arguments[] = {(char *)spec->path, (char *)spec->argument, NULL};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_IGN); /* Ctrl-C in a terminal goes to the supervisor, which drains */
	setpgid(0, 0);
	if (!rt_end_with(supervisor))
		_exit(EXIT_NOT_STARTED);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(EXIT_NOT_STARTED);
	rt_close_from(STDERR_FILENO + 1);
	limit_data(spec->data_limit_bytes);
	take_turns();
	execve(spec->path, arguments, (char *const *)spec->environment);
	_exit(EXIT_NOT_STARTED);
}

static bool open_pipes(int in[2], int out[2])
{
	in[0] = in[1] = out[0] = out[1] = -1;
	if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
		fcntl(in[1], F_SETFL, O_NONBLOCK) == 0 && fcntl(out[0], F_SETFL, O_NONBLOCK) == 0)
		return true;
	for (int i = 0; i < 2; i++) {
		close_if_open(&in[i]);
		close_if_open(&out[i]);
	}
	return false;
}

bool rt_process_start(struct rt_process *process, const struct rt_process_spec *spec)
{
	pid_t supervisor = getpid();
	int in[2];
	int out[2];

	memset(process, 0, sizeof *process);
	process->in = process->out = -1;
	if (access(spec->path, X_OK) != 0 || !open_pipes(in, out))
		return false;
	process->pid = fork();
	if (process->pid == 0)
		become_handler(spec, in[0], out[1], supervisor);
	close(in[0]);
	close(out[1]);
	process->in = in[1];
	process->out = out[0];
	if (process->pid > 0)
		return true;
	process->pid = 0;
	close_if_open(&process->in);
	close_if_open(&process->out);
	return false;
}

bool rt_process_unsent(const struct rt_process *process)
{
	return process->send_offset < process->send_length;
}

bool rt_process_flush(struct rt_process *process)
{
	while (rt_process_unsent(process)) {
		ssize_t written = write(process->in, process->send + process->send_offset,
			process->send_length - process->send_offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno == EAGAIN;
		process->send_offset += (size_t)written;
	}
	return true;
}

bool rt_process_send(struct rt_process *process, const char *event, size_t length)
{
	size_t needed = TAG_BYTES_MAX + length + 1;

	if (process->send_capacity < needed) {
		char *grown = realloc(process->send, needed);

		if (grown == NULL)
			return false;
		process->send = grown;
		process->send_capacity = needed;
	}
	process->tag++;
	process->send_offset = 0;
	process->send_length = (size_t)snprintf(
		process->send, needed, "#%llu+ ", (unsigned long long)process->tag);
	memcpy(process->send + process->send_length, event, length);
	process->send_length += length;
	process->send[process->send_length++] = '\n';
	process->busy = rt_process_flush(process);
	return process->busy;
}

/* Makes room for the next read and a NUL after it. */
static bool make_room(struct rt_process *process)
{
	size_t wanted = process->line_length + READ_BYTES + 1;
	char *grown;

	if (process->line_capacity >= wanted)
		return true;
	grown = realloc(process->line, wanted + process->line_capacity);
	if (grown == NULL)
		return false;
	process->line = grown;
	process->line_capacity += wanted;
	return true;
}

static bool is_count_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '=' || c == ',';
}

/* Cuts the counts off the answer and returns its new length. They cannot be confused with JSON,
 * which has nothing after its last bracket. */
static size_t cut_counts(struct rt_process *process, char *answer, size_t length)
{
	size_t at = length;

	process->counts = "";
	while (at > 0 && is_count_character(answer[at - 1]))
		at--;
	if (at == length || at < 2 || answer[at - 1] != ' ' || answer[at - 2] != '}')
		return length;
	answer[at - 1] = '\0';
	process->counts = answer + at;
	return at - 1;
}

/* Takes the complete line, which must have the tag of the current event and be the last output. */
static enum rt_process_result take_answer(
	struct rt_process *process, size_t line_length, const char **answer, size_t *length)
{
	char tag[TAG_BYTES_MAX];
	size_t tag_length = (size_t)snprintf(
		tag, sizeof tag, "#%llu+ ", (unsigned long long)process->tag);

	if (!process->busy || process->line_length != line_length + 1 || line_length < tag_length ||
		memcmp(process->line, tag, tag_length) != 0)
		return RT_PROCESS_BROKEN;
	process->line[line_length] = '\0';
	*answer = process->line + tag_length;
	*length = cut_counts(process, process->line + tag_length, line_length - tag_length);
	process->line_length = 0;
	process->busy = false;
	return RT_PROCESS_ANSWER;
}

enum rt_process_result rt_process_read(
	struct rt_process *process, const char **answer, size_t *length)
{
	for (;;) {
		char *newline;
		ssize_t got;

		if (!make_room(process))
			return RT_PROCESS_BROKEN;
		got = read(process->out, process->line + process->line_length, READ_BYTES);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return RT_PROCESS_AGAIN;
		if (got <= 0)
			return RT_PROCESS_ENDED;
		newline = memchr(process->line + process->line_length, '\n', (size_t)got);
		process->line_length += (size_t)got;
		if (newline != NULL)
			return take_answer(
				process, (size_t)(newline - process->line), answer, length);
		if (!process->busy || process->line_length > RT_ANSWER_BYTES_MAX)
			return RT_PROCESS_BROKEN;
	}
}

int rt_process_stop(struct rt_process *process)
{
	int status = 0;

	if (process->pid > 0) {
		kill(process->pid, SIGKILL);
		kill(-process->pid, SIGKILL);
		while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close_if_open(&process->in);
	close_if_open(&process->out);
	free(process->line);
	free(process->send);
	memset(process, 0, sizeof *process);
	process->in = process->out = -1;
	return status;
}
