/* One connection of the HTTP server. Internal to the server. */
#ifndef HOST_HTTP_CONNECTION_H
#define HOST_HTTP_CONNECTION_H

#include <event2/event.h>
#include <event2/event_struct.h>

#include "runtime/host/http/http-chunked.h"
#include "runtime/host/http/http-exchange.h"
#include "runtime/host/http/http.h"

enum {
	HTTP_READ_BYTES = 16 * 1024,
	HTTP_IN_BYTES_MAX = HTTP_HEAD_BYTES_MAX + HTTP_LARGE_BODY_BYTES_MAX + HTTP_READ_BYTES,
	/* maximum number of octets that wait to be sent; more than the longest answer */
	HTTP_OUT_BYTES_MAX = 9 * 1024 * 1024,
	HTTP_LINGER_SECONDS = 2, /* time for the client to read the answer to a refused request */
};

enum http_state {
	HTTP_IDLE,    /* between requests */
	HTTP_HEAD,    /* the head has begun */
	HTTP_BODY,    /* the head is complete, the body is not */
	HTTP_BUSY,    /* the request has arrived and is not answered yet */
	HTTP_WRITING, /* the client receives the answer slowly */
	HTTP_LINGER,  /* everything is sent; further input is discarded */
	HTTP_CLOSED,  /* http_connection_settle() frees the connection */
};

struct http_connection {
	struct http_server *server;
	size_t slot;
	int fd;
	struct event readable;
	struct event writable;
	bool reading;    /* the event `readable` is added to the loop */
	bool eof;        /* the client has closed its sending side */
	bool processing; /* requests are being taken from the buffer */
	bool has_asked;  /* at least one request has arrived */
	enum http_state state;
	int64_t deadline_ms;  /* deadline of the state, monotonic; 0 for none */
	struct rt_buffer in;  /* octets received but not yet processed */
	struct rt_buffer out; /* part of the answer that the socket did not accept yet */
	size_t sent;          /* octets of out that are sent */
	size_t head_length;   /* octets of the head of the request whose body is being received */
	size_t content_length;
	size_t body_max;
	/* octets of a large body; they count towards the limits until the request is answered */
	size_t large_bytes;
	bool is_chunked;
	struct http_chunked chunked;
	struct http_exchange exchange;
	http_gone gone; /* callback set by http_on_gone(); NULL for none */
	void *gone_arg;
	char peer[RT_IP_TEXT_MAX];
};

struct http_server {
	struct event_base *base;
	int fd;
	char address[LISTEN_TEXT_MAX];
	bool on_loopback; /* the listener is on loopback */
	http_on_request on_request;
	void *arg;
	struct event *acceptable;
	struct event *tick;
	/* returns the maximum length of a body; NULL: it is HTTP_BODY_BYTES_MAX */
	http_body_max body_max;
	void *body_max_arg;
	size_t large_bytes; /* large_bytes of all connections together */
	bool draining;
	struct http_connection *connections[HTTP_CONNECTIONS_MAX];
	/* address of each connection's peer, in a separate array, so that counting the connections
	 * of a peer is quick */
	struct rt_ip peers[HTTP_CONNECTIONS_MAX];
	size_t connection_count;
	/* The following members are used by one connection at a time. */
	char scratch[HTTP_READ_BYTES];
	struct http_head head;
	struct rt_buffer forwarded;
	struct rt_buffer answer_head;
	struct rt_buffer problem_fields;
	struct rt_buffer problem_body;
};

/* Makes a connection in the slot. It owns the descriptor from now on. */
void http_connection_new(struct http_server *server, size_t slot, int fd, const struct rt_ip *peer);

/* Called when the deadline of the connection's state has passed. */
void http_connection_late(struct http_connection *connection);

/* Frees the connection if it is closed; otherwise waits for the events that its state needs. */
void http_connection_settle(struct http_connection *connection);

void http_connection_free(struct http_connection *connection);

/* Writes an answer and sets the next state. */
void http_connection_answer(struct http_connection *connection, struct access_stats *stats,
	int status, const struct rt_buffer *fields, const char *body, size_t body_length);

/* Changes the state and starts its deadline. */
void http_connection_enter(struct http_connection *connection, enum http_state state);

#endif
