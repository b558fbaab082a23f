/* One request and its answer, with the data that the connection and the log need. Internal to the
 * server and the gateway. */
#ifndef HOST_HTTP_EXCHANGE_H
#define HOST_HTTP_EXCHANGE_H

#include "runtime/buffer.h"
#include "runtime/event/trace.h"
#include "runtime/host/gateway/request-id.h"
#include "runtime/host/http/http.h"

struct http_exchange {
	struct http_connection *connection;
	const char *method;
	char path[ACCESS_PATH_MAX];
	char id[REQUEST_ID_MAX];
	/* trace of a request whose head was parsed; otherwise its id is empty */
	struct rt_trace trace;
	char traceparent[RT_TRACEPARENT_LENGTH + 1];
	/* address of the client; that of the peer until the head is parsed */
	char client[RT_IP_TEXT_MAX];
	int64_t started_us;
	int minor;
	bool head_only; /* the method is HEAD: the body is not sent */
	bool keep_alive;
	bool refused;
};

/* Begins an exchange when the first octets of a request arrive. peer: the address as text. */
void http_exchange_begin(
	struct http_exchange *exchange, struct http_connection *connection, const char *peer);

/* Notes the parsed head of the request. list: a buffer that the call uses to join the fields
 * X-Forwarded-For. */
void http_exchange_note_head(struct http_exchange *exchange, const struct http_head *head,
	const char *peer, struct rt_buffer *list);

/* Notes whether a head that could not be parsed begins with the method HEAD. */
void http_exchange_note_bytes(struct http_exchange *exchange, const char *bytes, size_t length);

/* Makes the log show this path instead of the path as sent, which may contain secrets as
 * parameters. */
void http_log_path(struct http_exchange *exchange, const char *path);

#endif
