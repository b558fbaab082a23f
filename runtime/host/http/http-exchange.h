/* One request and its answer, as the connection and the log need it: within the server only. */
#ifndef HOST_HTTP_EXCHANGE_H
#define HOST_HTTP_EXCHANGE_H

#include "runtime/event/trace.h"
#include "runtime/host/bytes.h"
#include "runtime/host/gateway/request-id.h"
#include "runtime/host/http/http.h"

struct http_exchange {
	struct http_connection *connection;
	const char *method;
	char path[ACCESS_PATH_MAX];
	char id[REQUEST_ID_MAX];
	struct rt_trace trace; /* of a request whose head was read; else its id is empty */
	char traceparent[RT_TRACEPARENT_LENGTH + 1];
	char client[RT_IP_TEXT_MAX]; /* for the log */
	int64_t started_us;
	int minor;
	bool head_only; /* HEAD: the body stays here */
	bool keep_alive;
	bool refused;
};

/* A request has begun to come in from the peer, an address. */
void http_exchange_begin(
	struct http_exchange *exchange, struct http_connection *connection, const char *peer);

/* Its head was read. list is room to work in. */
void http_exchange_note_head(struct http_exchange *exchange, const struct http_head *head,
	const char *peer, struct bytes *list);

/* Its head, of which these are the bytes, could not be read. */
void http_exchange_note_bytes(struct http_exchange *exchange, const char *bytes, size_t length);

/* The log shows this in place of the path as sent, whose parameters may be secrets. */
void http_log_path(struct http_exchange *exchange, const char *path);

#endif
