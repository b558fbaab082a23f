/* The head of an HTTP/1.1 request: request line and fields (RFC 9112), parsed strictly.
 *
 *     GET /api/inbound-tester/sessions/abc?x=1 HTTP/1.1
 *     Host: 127.0.0.1:8080
 *
 * The library http-parser parses the head. This code also refuses forms that http-parser accepts
 * but another server might read differently (two Hosts, folded or bare-LF lines, a space before the
 * colon, odd versions, codings), since request smuggling uses such differences. */
#ifndef HOST_HTTP_HEAD_H
#define HOST_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

enum {
	HTTP_HEAD_BYTES_MAX = 16 * 1024,
	/* maximum length of a body, octets, unless the request's function accepts more */
	HTTP_BODY_BYTES_MAX = 64 * 1024,
	HTTP_LARGE_BODY_BYTES_MAX = 10 * 1024 * 1024,
	HTTP_FIELDS_MAX = 100,
	HTTP_METHOD_MAX = 16,
};

struct http_span {
	const char *text; /* points into the parsed bytes, or to a literal; not NUL-terminated */
	size_t length;
};

struct http_field {
	struct http_span name; /* name of the field as sent; compare without case */
	struct http_span value;
};

/* Why a request is refused; code and detail are literals. */
struct http_refusal {
	int status;
	const char *code;
	const char *detail;
};

struct http_head {
	const char *method;     /* the method: "GET" */
	struct http_span path;  /* the path; at least "/" */
	struct http_span query; /* the query, without the question mark */
	struct http_field fields[HTTP_FIELDS_MAX];
	size_t field_count;
	/* host and port, from the target or the Host field; empty in HTTP/1.0 without either */
	struct http_span host;
	int minor;       /* minor version of HTTP/1 */
	bool keep_alive; /* the connection may serve another request */
	bool expects_continue;
	bool chunked;
	size_t content_length; /* octets of the body; 0 when chunked */
	size_t head_length;    /* octets of the head, including the empty line */
	struct http_refusal refusal;
};

enum http_result {
	HTTP_MORE, /* the head or body is not complete yet */
	HTTP_READY,
	HTTP_REFUSED, /* the request is refused, as refusal says; the connection must be closed */
};

/* Reads the head at the start of the bytes; changes tabs at the end of a line to spaces. */
enum http_result http_head_parse(char *bytes, size_t length, struct http_head *head);

bool http_span_is(const struct http_span *name, const char *lower_case);

#endif
