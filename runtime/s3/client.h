/* Calls to the bucket of the mail store. The calls are signed, and repeated after temporary
 * failures, for example when S3 asks the client to slow down. */
#ifndef RT_S3_CLIENT_H
#define RT_S3_CLIENT_H

#include "runtime/aws/http.h"
#include "runtime/s3/location.h"

enum {
	S3_TRIES = 6,
	S3_TRY_MS = 10000, /* time-out of one try */
};

struct s3_call {
	const char *method;
	const char *key;   /* key of the object; "" for the bucket itself */
	const char *query; /* percent-encoded, parameters sorted; "" for none */
	const struct iovec *parts;
	int part_count;
	/* Descriptor of a file to which the object is written, from the file's start; -1 for none.
	 */
	int sink;
	size_t sink_bytes_max; /* maximum length of the object, octets */
};

/* Sends the call. answer->status is 200 to 299, or 404 if the object does not exist. After a server
 * or network error it tries again, with growing pauses; after an error about expired credentials it
 * tries again with new ones. There are at most S3_TRIES tries, all within the deadline. Other
 * failures are RT_TEMPORARY "mail-store-failed" with the error of S3. */
RT_MUST_USE rt_status s3_call(struct rt_ctx *ctx, const struct s3_location *location,
	const struct s3_call *call, struct aws_http_answer *answer);

#endif
