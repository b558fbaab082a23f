/* The handler loop: what main() of every function calls.
 *
 *     int main(int argc, char **argv)
 *     {
 *             return rt_main_http(argc, argv, register_selector);
 *     }
 *
 * Without arguments it reads one JSON value to the end of standard input, answers one line and
 * ends with 0, or with 1 if the event failed or was no JSON. With --kept it reads one event a line
 * and answers one line each until the end of input; a bad line is answered with an error and
 * dropped. A supervisor may put a tag before the event, `#17 {…}`; the answer then begins with the
 * same tag, so that a stray line is never taken for an answer. After `#17+` what the function
 * counted stands behind the answer: `#17+ {…} dnsAsked=3,dnsTimeout=1` (counts.h).
 *
 * A failed HTTP event is answered with a problem (and exit 0 unless the category is internal or
 * temporary); any other kind with {"errorType", "errorMessage"}.
 * EDS_TIMEOUT_MS bounds each event (default 30000).
 *
 * A top-level member "_X_AMZN_TRACE_ID" is the cloud's trace id, which its supervisor cannot put
 * into the environment of a kept process: the handler loop does so, and functions do not see the
 * member.
 *
 * Each event is a step of a trace (runtime/event/trace.h): of the one in the field traceparent of a
 * request, or in the top-level member "traceparent" of another event; else of the cloud's; else of
 * a new one. ctx->trace says which, and each log line carries its id.
 */
#ifndef RT_HANDLER_H
#define RT_HANDLER_H

#include "runtime/config/config.h"
#include "runtime/event/event.h"
#include "runtime/event/query.h"

enum {
	RT_TRACE_MAX = 512,
	RT_EVENT_BYTES_MAX = 8 * 1024 * 1024, /* more than any cloud sends */
	RT_LARGE_EVENT_BYTES_MAX = 16 * 1024 *
		1024, /* of a function that takes messages over HTTP */
	RT_TIMEOUT_MS_DEFAULT = 30000,
};

typedef rt_status (*rt_http_handler)(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res);
/* answer: an object for the caller's log or for whoever invoked it; may stay NULL for {}. */
typedef rt_status (*rt_schedule_handler)(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer);
typedef rt_status (*rt_mail_handler)(
	struct rt_ctx *ctx, const struct rt_mail_event *mail, json_t **answer);
typedef rt_status (*rt_direct_handler)(struct rt_ctx *ctx, const json_t *input, json_t **answer);

/* Has prepare called once the configuration is read, before the first event: for what shall be
 * ready when it comes. Before rt_main_…, in main. */
void rt_prepare(void (*prepare)(void));

/* Of the query a request may have what rt_takes_query says alone. */
int rt_main_http(int argc, char **argv, rt_http_handler handler);
/* The same for events of so many octets at most, where RT_EVENT_BYTES_MAX is too little. */
int rt_main_http_within(int argc, char **argv, rt_http_handler handler, size_t event_bytes_max);
int rt_main_schedule(int argc, char **argv, rt_schedule_handler handler);
int rt_main_mail(int argc, char **argv, rt_mail_handler handler);
int rt_main_direct(int argc, char **argv, rt_direct_handler handler);

#endif
