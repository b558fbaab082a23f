/* The handler loop: main() of every function calls it.
 *
 *     int main(int argc, char **argv)
 *     {
 *             return rt_main_http(argc, argv, register_selector);
 *     }
 *
 * Without arguments the program reads one JSON value, up to the end of standard input, and answers
 * with one line. It exits with 0, or with 1 if the event failed or was not JSON. With --kept it
 * reads one event per line, and answers each event with one line, until the end of input; a line
 * that is not an event is answered with an error. A supervisor may put a tag in front of the event
 * (`#17 {…}`); the answer then begins with the same tag, so that a stray line is never taken for an
 * answer. With `#17+` the function's counts follow the answer: `#17+ {…} dnsAsked=3,dnsTimeout=1`
 * (counts.h). With `#17=+` the body of an HTTP answer may follow the JSON separately, in a frame,
 * instead of being a JSON string (runtime/process/process-lines.h).
 *
 * If the supervisor shares a page of memory with this process (runtime/process/begun.h), it may
 * write further events before it has the answers to earlier events. The loop notes each event in
 * the page before it begins the event, drops events that the supervisor took back, and writes each
 * answer before the next event begins.
 *
 * An HTTP request that fails is answered with a problem (RFC 9457); the program then exits with 0,
 * unless the failure is internal or temporary. A failed event of another kind, or one that cannot
 * be read as an HTTP request, is answered with {"errorType", "errorMessage"}. EDS_TIMEOUT_MS limits
 * each event (default 30000).
 *
 * A top-level member "_X_AMZN_TRACE_ID" is the cloud's trace id. The supervisor cannot put it into
 * the environment of a kept process, so the handler loop does that. It also removes the member from
 * an event that a function gets as JSON.
 *
 * Each event is a step of a trace (runtime/event/trace.h). A request names the trace in its field
 * traceparent, and any other event names it in a top-level member "traceparent". If no trace is
 * named, the event belongs to the trace with the cloud's trace id; without such an id a new trace
 * begins. ctx->trace identifies the trace, and each log line carries its id.
 */
#ifndef RT_HANDLER_H
#define RT_HANDLER_H

#include "runtime/config/config.h"
#include "runtime/event/event.h"
#include "runtime/event/query.h"

enum {
	RT_TRACE_MAX = 512,
	/* maximum length of an event, octets; more than any cloud sends */
	RT_EVENT_BYTES_MAX = 8 * 1024 * 1024,
	/* maximum length of an event for a function that accepts messages over HTTP, octets */
	RT_LARGE_EVENT_BYTES_MAX = 16 * 1024 * 1024,
	RT_TIMEOUT_MS_DEFAULT = 30000,
};

typedef rt_status (*rt_http_handler)(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res);
/* Handles an event. *answer: a JSON object for the caller or its log; if the handler leaves *answer
 * NULL, the answer is {}. The answer to an SQS batch is that of handler-mail.h instead. */
typedef rt_status (*rt_schedule_handler)(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer);
typedef rt_status (*rt_mail_handler)(
	struct rt_ctx *ctx, const struct rt_mail_event *mail, json_t **answer);
typedef rt_status (*rt_direct_handler)(struct rt_ctx *ctx, const json_t *input, json_t **answer);

/* Registers the function prepare, which is called after the configuration is read and before the
 * first event, for work that should be done in advance. main() must call this before rt_main_…. */
void rt_prepare(void (*prepare)(void));

/* The functions rt_main_… run the handler loop and return the exit status of the program. An HTTP
 * request may have only the query parameters that main() has allowed before this call (query.h). */
int rt_main_http(int argc, char **argv, rt_http_handler handler);
/* Does what rt_main_http() does, with a given maximum length of an event in octets. For functions
 * whose events may be longer than RT_EVENT_BYTES_MAX.
 */
int rt_main_http_within(int argc, char **argv, rt_http_handler handler, size_t event_bytes_max);
int rt_main_schedule(int argc, char **argv, rt_schedule_handler handler);
int rt_main_mail(int argc, char **argv, rt_mail_handler handler);
int rt_main_direct(int argc, char **argv, rt_direct_handler handler);

#endif
