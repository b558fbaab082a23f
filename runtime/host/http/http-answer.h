/* Writes the head of an HTTP/1.1 answer. */
#ifndef HOST_HTTP_ANSWER_H
#define HOST_HTTP_ANSWER_H

#include <stdint.h>

#include "runtime/buffer.h"

struct http_answer_head {
	int status;
	const struct rt_buffer *fields; /* header fields, "name: value\r\n" each; NULL for none */
	const char *request_id;
	int64_t now_ms;     /* time for the field Date, epoch ms */
	bool has_length;    /* the answer has Content-Length; 204 and 304 have none */
	size_t body_length; /* octets of the body, even if it is not sent because of HEAD */
	bool keep_alive;
	/* minor version of the request; the answer to HTTP/1.0 needs a field that says that the
	 * connection stays open */
	int minor;
};

/* Writes the head to out, whose old content is removed. */
void http_answer_head_write(struct rt_buffer *out, const struct http_answer_head *head);

#endif
