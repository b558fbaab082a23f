/* The line protocol between a handler process and its supervisor, at the supervisor's end.
 *
 * An event goes out as `#TAG+ {…}\n`, an answer comes back as `#TAG+ {…}\n`, or as
 * `#TAG+ {…} NAME=1,NAME=2\n` with the function's counts (counts.h).
 *
 * With the tag `#TAG=+` the supervisor accepts the body of an HTTP answer without JSON escapes. A
 * handler that knows this form writes the length of the answer first (@43); the answer is then one
 * line of JSON without `body`, and after it the body.
 *
 *     #17=+ @43 {"statusCode":200,"headers":{…}}\n<body> NAME=1\n
 *
 * A handler that reads the page of begun.h may have several events in its pipe. Such a handler
 * answers the events in their order, and writes each answer before it begins the next event. The
 * first event that is not answered is the current one.
 *
 * The child is killed for a line with a wrong tag, an answer without an event, a length after which
 * there is no line end, or a line over the limit.
 */
#ifndef RT_PROCESS_LINES_H
#define RT_PROCESS_LINES_H

#include "runtime/process/process.h"

enum rt_process_result {
	RT_PROCESS_AGAIN, /* no complete answer yet: wait until `out` is readable */
	/* An answer: *answer and *length give it without tag, counts and line end; valid until the
	 * next call. */
	RT_PROCESS_ANSWER,
	RT_PROCESS_ENDED, /* the child closed its output or died */
	/* wrong tag, stray line, wrong length, or a line over the limit; or the supervisor is out
	 * of memory */
	RT_PROCESS_BROKEN,
};

/* True if one more event may be queued for the handler. */
bool rt_process_takes_more(const struct rt_process *process);

/* Queues an event, a line of JSON without its line end, for rt_process_flush(). False when out of
 * memory, or when RT_PROCESS_EVENTS_MAX events are in the pipe. */
bool rt_process_queue(struct rt_process *process, const char *event, size_t length, bool framed);

/* Queues an event and writes as much as the pipe accepts now. False when the child has ended or the
 * event cannot be queued. While rt_process_unsent() is true, call rt_process_flush() whenever `in`
 * becomes writable. */
bool rt_process_send(struct rt_process *process, const char *event, size_t length, bool framed);
bool rt_process_flush(struct rt_process *process);
bool rt_process_unsent(const struct rt_process *process);

/* Takes back the events that the handler has not begun; returns the number of events that stay.
 *
 * With ends false, the current event always stays; if the handler has not begun it yet, all events
 * stay. With ends true, because the handler is to be ended, only those events stay that it has
 * begun or may have begun. If the handler has not read the page, it may have begun the current
 * event, unless its program is known to read the page before it begins an event. */
size_t rt_process_take_back(struct rt_process *process, bool ends);

/* The text of the current event, valid until the next event is queued. The event may have been
 * taken back. */
const char *rt_process_first(const struct rt_process *process, size_t *length, bool *framed);

/* Reads the next answer. */
enum rt_process_result rt_process_read(
	struct rt_process *process, const char **answer, size_t *length);

/* True if octets were read from which rt_process_read() may return another answer at once. */
bool rt_process_has_more(const struct rt_process *process);

#endif
