/* The platform's side of the Lambda Runtime API for one bootstrap (runtime/adapter/bootstrap-api.h
 * is the client's side), on a loopback port, as the cloud offers it:
 *
 *     GET  /2018-06-01/runtime/invocation/next              answered when there is an event
 *     POST /2018-06-01/runtime/invocation/ID/response       202; 403 when ID is not current
 *     POST /2018-06-01/runtime/invocation/ID/error          202; 403 when ID is not current
 *     POST /2018-06-01/runtime/init/error                   202; the bootstrap then ends
 *
 * Events longer than 2048 bytes are sent chunked, others with Content-Length. An event that was
 * sent but not answered is sent again at the next request for an event. The API serves one
 * connection at a time. Further connections wait until this connection is closed, so that no
 * process on this machine except the bootstrap gets events or gives answers.
 */
#ifndef RUNNER_RUNTIME_API_H
#define RUNNER_RUNTIME_API_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct runtime_api;

/* Called when an event is answered. error_type: NULL for a response; for an error
 * "Category.Reason", or "" if the bootstrap sent no type or one that is too long. text is the body
 * that the bootstrap sent, borrowed for the call. The callback may free the API. */
typedef void (*runtime_api_done)(
	void *arg, const char *error_type, const char *text, size_t length);

/* Makes the API for one bootstrap. function: the name of the function that the bootstrap runs,
 * borrowed. NULL, with errno, when there is no port to listen on. */
struct runtime_api *runtime_api_new(
	struct event_base *base, const char *function, runtime_api_done done, void *arg);
void runtime_api_free(struct runtime_api *api);

/* The address of the API, such as "127.0.0.1:40123". */
const char *runtime_api_address(const struct runtime_api *api);

/* Gives one event, after the previous one was answered; done is called once. deadline_ms: epoch ms.
 * False when the event is longer than any function accepts. */
bool runtime_api_give(
	struct runtime_api *api, const char *event, size_t length, int64_t deadline_ms);

#endif
