/* The line protocol between a handler process and its supervisor, at the supervisor's end.
 *
 * An event goes out as `#TAG+ {…}\n`, an answer comes back as `#TAG+ {…}\n`, or as
 * `#TAG+ {…} NAME=1,NAME=2\n` with the function's counts (counts.h).
 *
 * With the tag `#TAG=+` the supervisor takes the body of an HTTP answer as it is, without escapes.
 * A handler that knows this says how long the answer is: one line of JSON without `body`, and the
 * body after it.
 *
 *     #17=+ @43 {"statusCode":200,"headers":{…}}\n<body> NAME=1\n
 *
 * A handler that reads the page of begun.h may have several events in its pipe. It answers them in
 * their order, and writes each answer before it begins the next event.
 *
 * The child is killed for a line with another tag, an answer without an event, a length that does
 * not end in a line end, or a line over the limit.
 */
#ifndef RT_PROCESS_LINES_H
#define RT_PROCESS_LINES_H

#include "runtime/process/process.h"

enum rt_process_result {
	RT_PROCESS_AGAIN,  /* no complete answer yet: wait for readiness */
	RT_PROCESS_ANSWER, /* *answer, *length: without tag, counts and line end; valid until the
			      next call */
	RT_PROCESS_ENDED,  /* the child closed its output or died */
	RT_PROCESS_BROKEN, /* wrong tag, stray line, wrong length, or a line over the limit */
};

/* Whether the handler takes one more event behind those it has. */
bool rt_process_takes_more(const struct rt_process *process);

/* Queues one event (one line of JSON, no newline in it) for rt_process_flush. False when there is
 * no memory. */
bool rt_process_queue(struct rt_process *process, const char *event, size_t length, bool framed);

/* Queues an event and writes as much as the pipe takes now. False when the child has ended. Call
 * rt_process_flush when `in` becomes writable while rt_process_unsent() holds. */
bool rt_process_send(struct rt_process *process, const char *event, size_t length, bool framed);
bool rt_process_flush(struct rt_process *process);
bool rt_process_unsent(const struct rt_process *process);

/* Takes back the last events, which the handler has not begun; returns how many are left to it. The
 * first is always left, and while it has not begun, all are.
 *
 * ends: the handler is to be ended. Then only the events are left that it has begun, or may have
 * begun: the first of a handler that does not read the page, unless it would have read it before.
 */
size_t rt_process_take_back(struct rt_process *process, bool ends);

/* The text of the first event, until the next event is queued. It may have been taken back. */
const char *rt_process_first(const struct rt_process *process, size_t *length, bool *framed);

enum rt_process_result rt_process_read(
	struct rt_process *process, const char **answer, size_t *length);

/* Whether bytes are left from which rt_process_read() may take a further answer at once. */
bool rt_process_has_more(const struct rt_process *process);

#endif
