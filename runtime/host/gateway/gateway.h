/* Passes HTTP requests to functions and their answers back: route, event, pool, answer.
 *
 * A function may put a message into the mail store for another function (`stores` in the manifest).
 * The gateway sends that function an event such as a bucket sends for a new object. Nothing waits
 * for its success, since the function that stored the message keeps a record of it.
 */
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

/* An http_body_max with the gateway as arg: the maximum in the function's manifest entry. */
size_t gateway_body_max(void *arg, struct http_exchange *exchange, const struct http_head *head);

/* Lets requests wait for results that do not exist yet (waits.h); without this call they are
 * answered at once. base: borrowed. */
void gateway_let_wait(struct gateway *gateway, struct event_base *base);

/* Lets answers of functions with "compress" be compressed for clients that ask for it
 * (packing.h). */
void gateway_let_pack(struct gateway *gateway, packing_call pack);

/* Answers the requests that wait, and lets no more requests wait. */
void gateway_stop_waiting(struct gateway *gateway);

/* The status of requests that exceed the pools' limits: 503 unless set. */
void gateway_set_busy_status(struct gateway *gateway, int status);

/* An http_on_request with the gateway as arg. */
/* Refuses a request whose host is not this service's (http_host_is_ours). */
void gateway_refuse_host(struct gateway *gateway, struct http_exchange *exchange);

void gateway_on_request(
	void *arg, struct http_exchange *exchange, const struct http_request *request);

/* Answers a request by giving its function an event that is not an HTTP request: 204 once the
 * function succeeded, else an error, so that the sender tries again. */
void gateway_run_job(struct gateway *gateway, struct http_exchange *exchange,
	const struct manifest_function *function, const char *event, size_t length);

/* Answers with a problem. more: further fields, "Allow: GET\r\n", or "". */
void gateway_refuse(struct gateway *gateway, struct http_exchange *exchange, int status,
	const char *code, const char *detail, const char *more);

/* Frees the gateway. No request may be in progress. */
void gateway_free(struct gateway *gateway);

#endif
