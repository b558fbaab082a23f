/* The location of a mail store in S3, from s3://BUCKET/PREFIX and the environment.
 *
 *     s3://example-mail/inbound    object inbound/MESSAGE-ID of the bucket example-mail
 *
 * Bucket and region (AWS_REGION, AWS_DEFAULT_REGION) determine the address at Amazon.
 * AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL names another server, where the bucket is the first part
 * of the path.
 */
#ifndef RT_S3_LOCATION_H
#define RT_S3_LOCATION_H

#include "runtime/aws/endpoint.h"

enum {
	S3_BUCKET_MAX = 63,
	S3_PREFIX_MAX = 512,
};

struct s3_location {
	const char *bucket;
	const char *prefix; /* prefix of the keys: "", or a text that ends with a slash */
	const char *region;
	struct aws_endpoint endpoint;
	const char *base; /* path of the bucket: "/", or "/BUCKET/" */
};

/* True for s3://BUCKET or s3://BUCKET/PREFIX. The bucket consists of 3 to 63 small letters, digits,
 * hyphens and dots, the prefix of printable ASCII. */
bool s3_location_is_valid(const char *url);

/* Reads the location. RT_INTERNAL "mail-store-misconfigured" when the endpoint or the region in the
 * environment has the wrong form. */
RT_MUST_USE rt_status s3_location_read(
	struct rt_ctx *ctx, const char *url, struct s3_location *location);

#endif
