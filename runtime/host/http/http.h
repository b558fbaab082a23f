/* The HTTP/1.1 server: connections, deadlines, limits. What a request means is left to the code
 * that uses the server.
 *
 * A connection has one request at a time; further requests wait in its buffer (pipelining). A
 * request that arrives whole needs no allocation. An invalid request is answered with a problem
 * (RFC 9457) and its connection is closed, since the start of the next request cannot be
 * trusted. */
#ifndef HOST_HTTP_H
#define HOST_HTTP_H

#include <event2/event.h>

#include "runtime/host/gateway/access.h"
#include "runtime/host/http/http-head.h"
#include "runtime/host/listen.h"

enum {
	/* maximum number of connections. A further one replaces the connection that has been idle
	 * longest; if none is idle, the further one gets the answer 503. */
	HTTP_CONNECTIONS_MAX = 2048,
	/* maximum number of connections of one peer; a further one replaces one of these
	 * connections in the same way. An IPv6 /64 is one peer. EDS_TRUSTED_PROXIES are exempt. */
	HTTP_CONNECTIONS_PER_PEER_MAX = 256,
	HTTP_HEAD_SECONDS = 10,  /* time from the first byte of a head to its last */
	HTTP_BODY_SECONDS = 15,  /* time from the end of the head to the end of the body */
	HTTP_IDLE_SECONDS = 60,  /* longest time between requests */
	HTTP_WRITE_SECONDS = 30, /* time for the client to receive an answer */
	/* The next three are limits for bodies over HTTP_BODY_BYTES_MAX. A body for which there is
	 * no room gets the answer 503. */
	HTTP_LARGE_BODY_RATE = 64 * 1024, /* minimum rate, octets per second */
	/* maximum total of all such bodies in memory, octets */
	HTTP_LARGE_BODIES_MAX = 64 * 1024 * 1024,
	/* maximum total of such bodies of one peer in memory, octets; EDS_TRUSTED_PROXIES are
	 * exempt */
	HTTP_LARGE_BODIES_PER_PEER_MAX = HTTP_LARGE_BODIES_MAX / 4,
};

struct http_server;
struct http_exchange; /* one request and its answer */

struct http_request {
	const struct http_head *head;
	const char *body;
	size_t body_length;
	const char *peer;   /* the address of the connection */
	const char *client; /* the address of the client; the same as peer, unless peer is a trusted
			     * proxy that names the client */
	bool on_loopback;   /* only this machine can reach the listener */
	const char *request_id;
	/* trace of this request, to be passed on (runtime/event/trace.h) */
	const char *traceparent;
};

/* Called for each request. request is borrowed for the call. http_answer() must be called exactly
 * once, within the call or later. */
typedef void (*http_on_request)(
	void *arg, struct http_exchange *exchange, const struct http_request *request);

/* Makes a server that listens on the address. NULL, with a sentence in error, on failure. */
struct http_server *http_server_new(struct event_base *base, const char *address,
	http_on_request on_request, void *arg, char error[LISTEN_ERROR_MAX]);

/* Sets a function that returns the maximum length of a request's body, at most
 * HTTP_LARGE_BODY_BYTES_MAX; without this call the maximum is HTTP_BODY_BYTES_MAX. The function is
 * called before the body is read. */
typedef size_t (*http_body_max)(
	void *arg, struct http_exchange *exchange, const struct http_head *head);
void http_server_set_body_max(struct http_server *server, http_body_max body_max, void *arg);

/* The address of the listener, "127.0.0.1:8080", with the real port. */
const char *http_server_address(const struct http_server *server);

/* Answers the request. fields: "name: value\r\n" each, without fields that frame the message. The
 * server adds Date, the request id, and the fields that frame the message. stats: the counters of
 * the function. */
void http_answer(struct http_exchange *exchange, struct access_stats *stats, int status,
	const struct rt_buffer *fields, const char *body, size_t body_length);

/* Sets a callback for a request that is answered later. If the client closes its side after this
 * call and before the answer, gone() is called once, outside of any other call for this exchange.
 * It must return true if it has called http_answer(), and false if the request is still to be
 * answered. */
typedef bool (*http_gone)(void *arg);
void http_on_gone(struct http_exchange *exchange, http_gone gone, void *arg);

/* Stops accepting connections. Closes idle connections at once, and busy ones after their answer.
 * An idle connection that has not had a request yet stays open for half a second, for its first
 * request. */
void http_server_drain(struct http_server *server);
size_t http_server_connections(const struct http_server *server);
void http_server_free(struct http_server *server);

#endif
