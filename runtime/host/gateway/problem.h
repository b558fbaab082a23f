/* The host's own errors as application/problem+json (RFC 9457), in the form that functions use:
 *
 *     {"type":"/problems#route-not-found","title":"Not Found","status":404,"detail":"…",
 *      "code":"route-not-found"}
 */
#ifndef HOST_PROBLEM_H
#define HOST_PROBLEM_H

#include "runtime/buffer.h"

enum {
	PROBLEM_BYTES_MAX = 8 * 1024,
};

/* Writes the problem to fields and body, whose old content is removed. */
void problem_write(struct rt_buffer *fields, struct rt_buffer *body, int status, const char *code,
	const char *detail);

#endif
