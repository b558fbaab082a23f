/* Calls to the bucket of the mail store: signed, and made again when S3 asks for patience. */
#ifndef RT_S3_CLIENT_H
#define RT_S3_CLIENT_H

#include "runtime/aws/http.h"
#include "runtime/s3/location.h"

enum {
	S3_TRIES = 6,
	S3_TRY_MS = 10000, /* for one of them */
};

struct s3_call {
	const char *method;
	const char *key;   /* of the object; "" for the bucket itself */
	const char *query; /* percent-encoded, its parameters in order; "" for none */
	const struct iovec *parts;
	int part_count;
	int sink; /* descriptor of a file that takes the object, from its start; -1 for none */
	size_t sink_bytes_max;
};

/* answer->status is 200 to 299 or, where there is no such object, 404. Trouble of the server's or
 * the network's is tried again after growing pauses, inside the deadline; credentials that expired
 * are renewed once. Else RT_TEMPORARY "mail-store-failed" with what S3 said. */
RT_MUST_USE rt_status s3_call(struct rt_ctx *ctx, const struct s3_location *location,
	const struct s3_call *call, struct aws_http_answer *answer);

#endif
