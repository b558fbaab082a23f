/* Calls to the bucket of the mail store: signed, and repeated when S3 asks the client to slow
 * down. */
#ifndef RT_S3_CLIENT_H
#define RT_S3_CLIENT_H

#include "runtime/aws/http.h"
#include "runtime/s3/location.h"

enum {
	S3_TRIES = 6,
	S3_TRY_MS = 10000, /* for one try */
};

struct s3_call {
	const char *method;
	const char *key;   /* of the object; "" for the bucket itself */
	const char *query; /* percent-encoded, its parameters in order; "" for none */
	const struct iovec *parts;
	int part_count;
	int sink; /* descriptor of a file that gets the object, written from its start; -1 for none
		   */
	size_t sink_bytes_max;
};

/* answer->status is 200 to 299 or, if the object does not exist, 404. Server and network errors are
 * tried again after growing pauses, within the deadline; expired credentials are renewed once.
 * Otherwise RT_TEMPORARY "mail-store-failed" with the error of S3. */
RT_MUST_USE rt_status s3_call(struct rt_ctx *ctx, const struct s3_location *location,
	const struct s3_call *call, struct aws_http_answer *answer);

#endif
