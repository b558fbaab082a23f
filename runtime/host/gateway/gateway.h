/* From HTTP requests to functions and back: route, event, pool, answer.
 *
 * A function may have put a message into the mail store that another one shall read (`stores` in
 * the manifest). That one is told by an event such as a bucket sends of an object that was made;
 * whether it succeeds nobody waits for, since what stored the message remembers that it waits.
 */
#ifndef HOST_GATEWAY_H
#define HOST_GATEWAY_H

#include "runtime/host/gateway/packing.h"
#include "runtime/host/http/http.h"
#include "runtime/host/manifest.h"
#include "runtime/host/pool/pool.h"

struct gateway;

/* Serves the routes of one port: those of "http" triggers, or those of "ops". Both are borrowed. */
struct gateway *gateway_new(struct pools *pools, const struct manifest *manifest, bool operations);

/* An http_body_max with the gateway as arg: as the manifest says of the function. */
size_t gateway_body_max(void *arg, struct http_exchange *exchange, const struct http_head *head);

/* From now on requests may wait for what is not there yet (waits.h); else they are answered at
 * once. base: borrowed. */
void gateway_let_wait(struct gateway *gateway, struct event_base *base);

/* From now on answers of functions that say "compress" are packed where asked (packing.h). */
void gateway_let_pack(struct gateway *gateway, packing_call pack);

/* Answers those that wait, and has none wait any more. */
void gateway_stop_waiting(struct gateway *gateway);

/* The status for events past the pools' bounds: 503 unless set. */
void gateway_set_busy_status(struct gateway *gateway, int status);

/* An http_on_request with the gateway as arg. */
/* A request whose host is not ours (http_host_is_ours). */
void gateway_refuse_host(struct gateway *gateway, struct http_exchange *exchange);

void gateway_on_request(
	void *arg, struct http_exchange *exchange, const struct http_request *request);

/* Answers a request by giving its function an event that is no HTTP request: 204 once the function
 * has done it, else an error, so that whoever sent it tries again. */
void gateway_run_job(struct gateway *gateway, struct http_exchange *exchange,
	const struct manifest_function *function, const char *event, size_t length);

/* Answers with a problem. more: further fields, "Allow: GET\r\n", or "". */
void gateway_refuse(struct gateway *gateway, struct http_exchange *exchange, int status,
	const char *code, const char *detail, const char *more);

/* No request may be under way. */
void gateway_free(struct gateway *gateway);

#endif
