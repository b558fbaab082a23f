/* The HTTP/1.1 server: connections, deadlines, limits. Its user handles the meaning of requests.
 *
 * A connection has one request at a time; further ones wait in its buffer (pipelining). A request
 * that arrives whole needs no allocation. An invalid request is answered with a problem (RFC 9457)
 * and its connection is closed, since the start of the next request cannot be trusted.
 */
#ifndef HOST_HTTP_H
#define HOST_HTTP_H

#include <event2/event.h>

#include "runtime/host/gateway/access.h"
#include "runtime/host/http/http-head.h"
#include "runtime/host/listen.h"

enum {
	/* Above these numbers the connection that has been idle longest, of the peer or of all, is
	 * closed.
	 */
	HTTP_CONNECTIONS_MAX = 2048,
	HTTP_CONNECTIONS_PER_PEER_MAX =
		256,             /* an IPv6 /64 is one peer; EDS_TRUSTED_PROXIES are exempt */
	HTTP_HEAD_SECONDS = 10,  /* from the first byte of a head to its last */
	HTTP_BODY_SECONDS = 15,  /* from the end of the head to the end of the body */
	HTTP_IDLE_SECONDS = 60,  /* between requests */
	HTTP_WRITE_SECONDS = 30, /* for the client to receive an answer */
	/* Limits of bodies over HTTP_BODY_BYTES_MAX: the minimum rate, octets per second, and the
	 * octets of all such bodies held at once, of which one peer may have a quarter; above that
	 * 503. */
	HTTP_LARGE_BODY_RATE = 64 * 1024,
	HTTP_LARGE_BODIES_MAX = 64 * 1024 * 1024,
	HTTP_LARGE_BODIES_PER_PEER_MAX = HTTP_LARGE_BODIES_MAX / 4,
};

struct http_server;
struct http_exchange; /* one request and its answer */

struct http_request {
	const struct http_head *head;
	const char *body;
	size_t body_length;
	const char *peer;   /* the address of the connection */
	const char *client; /* the same, or the client's address behind trusted proxies */
	bool on_loopback;   /* only this machine can reach the listener */
	const char *request_id;
	const char *traceparent; /* of this request, to pass on (runtime/event/trace.h) */
};

/* request is borrowed for the call; http_answer may be called within it or later, exactly once. */
typedef void (*http_on_request)(
	void *arg, struct http_exchange *exchange, const struct http_request *request);

/* Listens on the address. NULL with a sentence in error. */
struct http_server *http_server_new(struct event_base *base, const char *address,
	http_on_request on_request, void *arg, char error[LISTEN_ERROR_MAX]);

/* How long the body of a request may be, at most HTTP_LARGE_BODY_BYTES_MAX; without this call
 * HTTP_BODY_BYTES_MAX. It is called before the body is read. */
typedef size_t (*http_body_max)(
	void *arg, struct http_exchange *exchange, const struct http_head *head);
void http_server_set_body_max(struct http_server *server, http_body_max body_max, void *arg);

/* "127.0.0.1:8080", with the real port. */
const char *http_server_address(const struct http_server *server);

/* fields: "name: value\r\n" each, without those that frame the message; the server adds these, Date
 * and the request id. stats: the counters of the function. */
void http_answer(struct http_exchange *exchange, struct access_stats *stats, int status,
	const struct rt_buffer *fields, const char *body, size_t body_length);

/* For an answer that comes later: if the client closes its side before it, gone is called once,
 * outside of any other call for this exchange, and must call http_answer(). NULL: no callback. */
void http_on_gone(struct http_exchange *exchange, void (*gone)(void *arg), void *arg);

/* Stops accepting and closes idle connections; the others close after their answer. One that has
 * not had a request yet has half a second for it. */
void http_server_drain(struct http_server *server);
size_t http_server_connections(const struct http_server *server);
void http_server_free(struct http_server *server);

#endif
