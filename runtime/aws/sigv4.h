/* AWS Signature Version 4: the Authorization field of a request.
 *
 *     AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/s3/aws4_request,
 *     SignedHeaders=host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e…
 *
 * The signature is made as the AWS General Reference says in "Create a signed AWS API request":
 * from a canonical request, a string to sign, and a key derived from secret, day, region and
 * service.
 */
#ifndef RT_AWS_SIGV4_H
#define RT_AWS_SIGV4_H

#include "runtime/ctx.h"

enum {
	SIGV4_HEADERS_MAX = 8,
	SIGV4_HASH_TEXT_BYTES = 65, /* SHA-256 in hexadecimal and a NUL */
	SIGV4_TIME_BYTES = 17,      /* octets of "20150830T123600Z" and a NUL */
};

/* The payload hash of a request without a body. */
extern const char sigv4_empty_hash[];

struct sigv4_header {
	const char *name; /* name in lower case; the headers must be sorted by name */
	const char *value;
};

struct sigv4_request {
	const char *method;
	const char *path;  /* path, percent-encoded as sent */
	const char *query; /* query, percent-encoded as sent, sorted by parameter; "" for none */
	struct sigv4_header headers[SIGV4_HEADERS_MAX];
	size_t header_count;
	const char *payload_hash;
};

struct sigv4_scope {
	const char *region;
	const char *service;         /* name of the service: "s3" */
	char time[SIGV4_TIME_BYTES]; /* value of x-amz-date */
};

struct sigv4_key {
	const char *id;
	const char *secret;
};

/* Writes the time in the form of struct sigv4_scope and of the field x-amz-date. wall_ms: epoch
 * ms. */
void sigv4_time(int64_t wall_ms, char text[SIGV4_TIME_BYTES]);

struct iovec;
/* SHA-256 of all parts together, in hexadecimal. */
void sigv4_hash(const struct iovec *parts, int part_count, char text[SIGV4_HASH_TEXT_BYTES]);

/* Percent-encodes all characters except A-Z a-z 0-9 - _ . ~ (RFC 3986 section 2.3) and, with
 * keep_slash, '/'. */
char *sigv4_encode(struct rt_ctx *ctx, const char *text, bool keep_slash);

/* The value of the Authorization field, in the event's memory. */
char *sigv4_authorization(struct rt_ctx *ctx, const struct sigv4_request *request,
	const struct sigv4_scope *scope, const struct sigv4_key *key);

#endif
