/* The HTTP/1.1 server: connections, deadlines, limits. What a request means is its user's business.
 *
 * One request of a connection at a time; further ones wait in its buffer (pipelining). Nothing is
 * allocated for a request that arrives whole. A request that is not understood is answered with a
 * problem (RFC 9457) and its connection closed, since what follows cannot be trusted to begin where
 * it seems to.
 */
#ifndef HOST_HTTP_H
#define HOST_HTTP_H

#include <event2/event.h>

#include "runtime/host/gateway/access.h"
#include "runtime/host/http/http-head.h"
#include "runtime/host/listen.h"

enum {
	/* Past these an idle connection gives way, of the peer or of all, the longest idle first.
	 */
	HTTP_CONNECTIONS_MAX = 2048,
	HTTP_CONNECTIONS_PER_PEER_MAX =
		256,             /* an IPv6 /64 is one peer; EDS_TRUSTED_PROXIES are exempt */
	HTTP_HEAD_SECONDS = 10,  /* from the first byte of a head to its last */
	HTTP_BODY_SECONDS = 15,  /* from the end of the head to that of the body */
	HTTP_IDLE_SECONDS = 60,  /* between requests */
	HTTP_WRITE_SECONDS = 30, /* for the client to take an answer */
	/* Bodies over HTTP_BODY_BYTES_MAX come at this rate at least, and all that are held at once
	 * are no more than so many octets, a quarter of them of one peer; past it 503. */
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
	const char *client; /* the same, or behind proxies of ours that of the client */
	bool on_loopback;   /* the listener is one that this machine alone can reach */
	const char *request_id;
	const char *traceparent; /* of this request, to be handed on (runtime/event/trace.h) */
};

/* request is borrowed for the call; http_answer may be called within it or later, exactly once. */
typedef void (*http_on_request)(
	void *arg, struct http_exchange *exchange, const struct http_request *request);

/* Listens on the address. NULL with a sentence in error. */
struct http_server *http_server_new(struct event_base *base, const char *address,
	http_on_request on_request, void *arg, char error[LISTEN_ERROR_MAX]);

/* How long the body of a request may be, at most HTTP_LARGE_BODY_BYTES_MAX; without it
 * HTTP_BODY_BYTES_MAX. Asked before the body is read. */
typedef size_t (*http_body_max)(
	void *arg, struct http_exchange *exchange, const struct http_head *head);
void http_server_set_body_max(struct http_server *server, http_body_max body_max, void *arg);

/* "127.0.0.1:8080", with the real port. */
const char *http_server_address(const struct http_server *server);

/* fields: "name: value\r\n" each, without those that frame the message; they, Date and the request
 * id are added. stats: which function it was. */
void http_answer(struct http_exchange *exchange, struct access_stats *stats, int status,
	const struct bytes *fields, const char *body, size_t body_length);

/* The answer comes later: gone is called, once and with nothing else of this exchange under way,
 * when the client closes its side before that, and must then answer. NULL: no matter. */
void http_on_gone(struct http_exchange *exchange, void (*gone)(void *arg), void *arg);

/* Stops accepting, closes idle connections; the others close after their answer. */
void http_server_drain(struct http_server *server);
size_t http_server_connections(const struct http_server *server);
void http_server_free(struct http_server *server);

#endif
