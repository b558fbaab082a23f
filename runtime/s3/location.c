#include "runtime/s3/location.h"

#include <string.h>

#define SCHEME "s3://"

static bool is_alphanumeric(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_bucket(const char *name, size_t length)
{
	if (length < 3 || length > S3_BUCKET_MAX || !is_alphanumeric(name[0]) ||
		!is_alphanumeric(name[length - 1]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!is_alphanumeric(name[i]) && name[i] != '-' && name[i] != '.')
			return false;
	return true;
}

bool s3_location_is_valid(const char *url)
{
	size_t bucket;
	size_t length;

	if (strncmp(url, SCHEME, strlen(SCHEME)) != 0)
		return false;
	url += strlen(SCHEME);
	bucket = strcspn(url, "/");
	length = strlen(url + bucket);
	for (const char *c = url + bucket; *c != '\0'; c++)
		if (*c <= ' ' || *c >= 0x7f)
			return false;
	return is_bucket(url, bucket) && length <= S3_PREFIX_MAX &&
		strncmp(url + bucket, "//", 2) != 0;
}

static rt_status misconfigured(struct rt_ctx *ctx, const char *what)
{
	return rt_fail(ctx, RT_INTERNAL, "mail-store-misconfigured", "%s", what);
}

static rt_status read_region(struct rt_ctx *ctx, struct s3_location *location)
{
	const char *region = aws_setting("AWS_REGION", "AWS_DEFAULT_REGION");

	location->region = region != NULL ? region : "us-east-1";
	if (!aws_region_is_valid(location->region, strlen(location->region)))
		return misconfigured(ctx, "AWS_REGION must be a region like eu-central-1");
	return RT_OK;
}

static rt_status read_endpoint(
	struct rt_ctx *ctx, const char *endpoint, struct s3_location *location)
{
	if (!aws_endpoint_parse(ctx, endpoint, &location->endpoint))
		return misconfigured(ctx,
			"AWS_ENDPOINT_URL_S3 must be an address like https://s3.example.com, "
			"without path or credentials");
	location->base = rt_printf(ctx, "/%s/", location->bucket);
	return RT_OK;
}

/* With a bucket name that has dots, the host name would not match Amazon's wildcard certificate, so
 * such a bucket name goes into the path. */
static void use_amazon(struct rt_ctx *ctx, struct s3_location *location)
{
	const char *domain = aws_domain(location->region);

	location->endpoint.scheme = "https://";
	if (strchr(location->bucket, '.') != NULL) {
		location->endpoint.host = rt_printf(ctx, "s3.%s.%s", location->region, domain);
		location->base = rt_printf(ctx, "/%s/", location->bucket);
	} else {
		location->endpoint.host = rt_printf(
			ctx, "%s.s3.%s.%s", location->bucket, location->region, domain);
		location->base = "/";
	}
}

rt_status s3_location_read(struct rt_ctx *ctx, const char *url, struct s3_location *location)
{
	const char *endpoint = aws_setting("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
	const char *name = url + strlen(SCHEME);
	const char *prefix = strchr(name, '/');
	size_t length = prefix == NULL ? 0 : strlen(prefix + 1);

	location->bucket = rt_memdup(ctx, name, strcspn(name, "/"));
	location->prefix = "";
	if (length > 0)
		location->prefix = rt_printf(
			ctx, "%s%s", prefix + 1, prefix[length] == '/' ? "" : "/");
	RT_TRY(read_region(ctx, location));
	if (endpoint != NULL)
		return read_endpoint(ctx, endpoint, location);
	use_amazon(ctx, location);
	return RT_OK;
}
