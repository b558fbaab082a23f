/* One HTTP request to a service of AWS or to a source of credentials, over a connection that the
 * calling thread keeps open. */
#ifndef RT_AWS_HTTP_H
#define RT_AWS_HTTP_H

#include <sys/uio.h>

#include "runtime/buffer.h"

enum {
	AWS_HEADERS_MAX = 8,
	/* maximum length of an answer's body in memory, octets */
	AWS_BODY_BYTES_MAX = 2 * 1024 * 1024,
	AWS_CONNECT_MS = 3000,
};

struct aws_http_request {
	const char *method; /* the method: GET, PUT, POST or DELETE */
	const char *url;
	const char *headers[AWS_HEADERS_MAX]; /* header lines: "Name: value" */
	size_t header_count;
	const struct iovec *parts; /* the body of PUT and POST */
	int part_count;
	/* descriptor to which the body of a 200 is written; -1: the body goes into the answer */
	int sink;
	/* maximum length of the body written to the sink; a longer one is a failure */
	size_t sink_bytes_max;
	int timeout_ms; /* time-out of the whole request */
};

struct aws_http_answer {
	int status; /* HTTP status; 0: no complete answer, and error has the reason */
	const char *error;
	struct rt_buffer body; /* empty if the body went to the sink */
	size_t sunk_bytes;     /* octets written to the sink */
};

/* Sends the request and reports the answer or the failure in *answer. Never follows a redirect and
 * uses no proxy. Trusts the certificate authorities in EDS_CA_FILE; if that is empty, those of the
 * system. */
void aws_http(
	struct rt_ctx *ctx, const struct aws_http_request *request, struct aws_http_answer *answer);

/* Closes the connections that this thread keeps open. */
void aws_http_done(void);

#endif
