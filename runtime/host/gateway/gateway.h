/* Passes HTTP requests to functions, and their answers back to the clients.
 *
 * A function may put a message into the mail store for another function (`stores` in the manifest).
 * The gateway sends the other function an event, as a bucket does for a new object. The gateway
 * does not check whether that event succeeds, since the function that stored the message keeps a
 * record of the message. */
#ifndef HOST_GATEWAY_H
#define HOST_GATEWAY_H

#include "runtime/host/gateway/packing.h"
#include "runtime/host/http/http.h"
#include "runtime/host/manifest.h"
#include "runtime/host/pool/pool.h"

struct gateway;

/* Serves the routes of one port: those of "http" triggers, or those of "ops". pools and manifest
 * are borrowed. */
struct gateway *gateway_new(struct pools *pools, const struct manifest *manifest, bool operations);

/* Returns the maximum length of a request's body, from the function's manifest entry;
 * HTTP_BODY_BYTES_MAX if no route fits the request. A callback of the type http_body_max; arg is
 * the gateway. */
size_t gateway_body_max(void *arg, struct http_exchange *exchange, const struct http_head *head);

/* Allows requests to wait for results that do not exist yet (waits.h); without this call they are
 * answered at once. base is borrowed. */
void gateway_let_wait(struct gateway *gateway, struct event_base *base);

/* Compresses answers of functions that have "compress" in the manifest, for clients that ask for it
 * (packing.h). */
void gateway_let_pack(struct gateway *gateway, packing_call pack);

/* Answers all requests that wait; from now on no request waits. */
void gateway_stop_waiting(struct gateway *gateway);

/* Sets the status for requests that exceed the limits of the pools; 503 by default. */
void gateway_set_busy_status(struct gateway *gateway, int status);

/* Refuses a request whose host is not this service's (http_host_is_ours()). */
void gateway_refuse_host(struct gateway *gateway, struct http_exchange *exchange);

/* Handles a request. A callback of the type http_on_request; arg is the gateway. */
void gateway_on_request(
	void *arg, struct http_exchange *exchange, const struct http_request *request);

/* For a request that delivers an event of another kind (schedule, mail): gives the function the
 * event, and answers the request with 204 when the function has succeeded, else with an error, so
 * that the sender tries again. */
void gateway_run_job(struct gateway *gateway, struct http_exchange *exchange,
	const struct manifest_function *function, const char *event, size_t length);

/* Answers with a problem. more: further fields, such as "Allow: GET\r\n", or "". */
void gateway_refuse(struct gateway *gateway, struct http_exchange *exchange, int status,
	const char *code, const char *detail, const char *more);

/* Frees the gateway. No request may be in progress. */
void gateway_free(struct gateway *gateway);

#endif
