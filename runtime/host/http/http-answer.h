/* Writes the head of an HTTP/1.1 answer. */
#ifndef HOST_HTTP_ANSWER_H
#define HOST_HTTP_ANSWER_H

#include <stdint.h>

#include "runtime/buffer.h"

struct http_answer_head {
	int status;
	const struct rt_buffer *fields; /* "name: value\r\n" each; NULL for none */
	const char *request_id;
	int64_t now_ms;     /* epoch, for Date */
	bool has_length;    /* 204 and 304 have none */
	size_t body_length; /* of the body, also if HEAD leaves it out */
	bool keep_alive;
	int minor; /* of the request: HTTP/1.0 needs a field for a kept connection */
};

/* Replaces the content of out. */
void http_answer_head_write(struct rt_buffer *out, const struct http_answer_head *head);

#endif
