/* A handler process and its line protocol, for every supervisor (runner, bootstrap).
 *
 * The supervisor owns the loop; this code runs one child with `--kept`, both pipes non-blocking,
 * and frames the messages: an event goes out as `#TAG+ {…}\n`, an answer comes back as `#TAG+
 * {…}\n`, or as `#TAG+ {…} NAME=1,NAME=2\n` with the function's counts (counts.h). The child is
 * killed for a line with another tag, an answer without an event, or a line over the limit.
 */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	RT_ANSWER_BYTES_MAX = 6 * 1024 * 1024 + 64 * 1024,
};

struct rt_process {
	pid_t pid;          /* 0 when none runs */
	int in;             /* write events here */
	int out;            /* read answers here */
	uint64_t tag;       /* of the current event */
	const char *counts; /* of the latest answer, valid as long as the answer; "" if none */
	bool busy;          /* an event is being processed */
	char *line;         /* bytes read so far */
	size_t line_length;
	size_t line_capacity;
	char *send; /* bytes still to write */
	size_t send_length;
	size_t send_capacity;
	size_t send_offset;
};

struct rt_process_spec {
	const char *path;
	const char *argument;           /* the only argument, "--kept" for a function; or NULL */
	const char *const *environment; /* "NAME=value", NULL-terminated: all the child gets */
	size_t data_limit_bytes;        /* RLIMIT_DATA; 0 for none */
};

enum rt_process_result {
	RT_PROCESS_AGAIN,  /* no complete line yet: wait for readiness */
	RT_PROCESS_ANSWER, /* *answer, *length: the line without tag and newline; valid until the
			      next call */
	RT_PROCESS_ENDED,  /* the child closed its output or died */
	RT_PROCESS_BROKEN, /* wrong tag, stray line, or a line over the limit */
};

/* False with errno when it cannot be started. The child is killed when its parent dies, if the
 * kernel supports that (rt_end_with), has its own process group, and has no descriptors except 0,
 * 1, 2. */
bool rt_process_start(struct rt_process *process, const struct rt_process_spec *spec);

/* Queues one event (one line of JSON, no newline in it) and writes as much as the pipe takes now.
 * False when the child has ended. Call rt_process_flush when `in` becomes writable while
 * rt_process_unsent() holds. */
bool rt_process_send(struct rt_process *process, const char *event, size_t length);
bool rt_process_flush(struct rt_process *process);
bool rt_process_unsent(const struct rt_process *process);

enum rt_process_result rt_process_read(
	struct rt_process *process, const char **answer, size_t *length);

/* Kills the process group, closes the pipes and reaps the child; returns its wait status, 0 when
 * none ran. */
int rt_process_stop(struct rt_process *process);

#endif
