/* The address of an AWS service when the environment names a server other than Amazon's:
 *
 *     AWS_ENDPOINT_URL_S3=http://127.0.0.1:9000
 */
#ifndef RT_AWS_ENDPOINT_H
#define RT_AWS_ENDPOINT_H

#include "runtime/ctx.h"

enum {
	AWS_REGION_MAX = 32,
	AWS_ENDPOINT_MAX = 255,
};

struct aws_endpoint {
	const char *scheme; /* the scheme: "https://" or "http://" */
	/* host for the URL and the Host field, with the port if it is not the default */
	const char *host;
};

/* The value of the first of the two environment variables that is set and not empty; NULL when
 * neither is. */
const char *aws_setting(const char *first, const char *second);

/* Parses http:// or https:// and a host, without path or credentials. The strings are in the
 * event's memory. */
bool aws_endpoint_parse(struct rt_ctx *ctx, const char *text, struct aws_endpoint *endpoint);

/* True for lower-case letters, digits and hyphens, such as "eu-central-1". */
bool aws_region_is_valid(const char *text, size_t length);

/* The domain of Amazon's host names in this region: "amazonaws.com" in most regions. */
const char *aws_domain(const char *region);

#endif
