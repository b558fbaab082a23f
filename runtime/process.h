/* A handler process and the lines spoken with it, for every supervisor (runner, bootstrap).
 *
 * The supervisor owns the loop; this holds one child with `--kept`, both pipes non-blocking, and
 * frames: an event goes out as `#TAG+ {…}\n`, an answer comes back as `#TAG+ {…}\n`, or as
 * `#TAG+ {…} NAME=1,NAME=2\n` with what the function counted (counts.h). A line with another tag,
 * an answer nobody asked for, a line over the limit: the child is killed.
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
	uint64_t tag;       /* of the event under way */
	const char *counts; /* of the latest answer, valid as long as it is; "" without */
	bool busy;          /* an event is under way */
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
	const char *argument;           /* the only one, "--kept" for a function; or NULL */
	const char *const *environment; /* "NAME=value", NULL-terminated: all the child gets */
	size_t data_limit_bytes;        /* RLIMIT_DATA; 0 for none */
};

enum rt_process_result {
	RT_PROCESS_AGAIN,  /* nothing whole yet: wait for readiness */
	RT_PROCESS_ANSWER, /* *answer, *length: the line without tag and newline; valid until the
			      next call */
	RT_PROCESS_ENDED,  /* the child closed its output or died */
	RT_PROCESS_BROKEN, /* wrong tag, stray line, or a line over the limit */
};

/* False with errno when it cannot be started. The child is killed when its parent dies,
 * where the kernel can be asked for that (rt_end_with), has its own process group, and holds no
 * descriptor but 0, 1, 2. */
bool rt_process_start(struct rt_process *process, const struct rt_process_spec *spec);

/* Queues one event (one line of JSON, no newline in it) and writes what the pipe takes now. False
 * when the child is gone. Call rt_process_flush when `in` becomes writable while
 * rt_process_unsent() holds. */
bool rt_process_send(struct rt_process *process, const char *event, size_t length);
bool rt_process_flush(struct rt_process *process);
bool rt_process_unsent(const struct rt_process *process);

enum rt_process_result rt_process_read(
	struct rt_process *process, const char **answer, size_t *length);

/* Kills the group, closes the pipes, reaps; the wait status of the child, 0 when none ran. */
int rt_process_stop(struct rt_process *process);

#endif
