#include "runtime/s3/location.h"

#include <stdlib.h>
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

static const char *first_set(const char *first, const char *second)
{
	const char *value = getenv(first);

	if (value == NULL || value[0] == '\0')
		value = getenv(second);
	return value != NULL && value[0] != '\0' ? value : NULL;
}

static rt_status misconfigured(struct rt_ctx *ctx, const char *what)
{
	return rt_fail(ctx, RT_INTERNAL, "mail-store-misconfigured", "%s", what);
}

static rt_status read_region(struct rt_ctx *ctx, struct s3_location *location)
{
	const char *region = first_set("AWS_REGION", "AWS_DEFAULT_REGION");

	location->region = region != NULL ? region : "us-east-1";
	for (const char *c = location->region; *c != '\0'; c++)
		if ((!is_alphanumeric(*c) && *c != '-') || c - location->region >= S3_REGION_MAX)
			return misconfigured(ctx, "AWS_REGION must be a region like eu-central-1");
	return RT_OK;
}

static rt_status read_endpoint(
	struct rt_ctx *ctx, const char *endpoint, struct s3_location *location)
{
	size_t length;

	location->scheme = strncmp(endpoint, "http://", 7) == 0 ? "http://" : "https://";
	if (strncmp(endpoint, location->scheme, strlen(location->scheme)) != 0)
		return misconfigured(
			ctx, "AWS_ENDPOINT_URL_S3 must be an address like https://s3.example.com");
	endpoint += strlen(location->scheme);
	length = strcspn(endpoint, "/?#@ \r\n");
	if (length == 0 || length > S3_ENDPOINT_MAX ||
		(endpoint[length] != '\0' && strcmp(endpoint + length, "/") != 0))
		return misconfigured(
			ctx, "AWS_ENDPOINT_URL_S3 must name a host, and no path or credentials");
	location->host = rt_memdup(ctx, endpoint, length);
	location->base = rt_printf(ctx, "/%s/", location->bucket);
	return RT_OK;
}

/* A bucket with dots fits no wildcard certificate, so it goes into the path. */
static void use_amazon(struct rt_ctx *ctx, struct s3_location *location)
{
	const char *domain = strncmp(location->region, "cn-", 3) == 0 ? "amazonaws.com.cn"
								      : "amazonaws.com";

	location->scheme = "https://";
	if (strchr(location->bucket, '.') != NULL) {
		location->host = rt_printf(ctx, "s3.%s.%s", location->region, domain);
		location->base = rt_printf(ctx, "/%s/", location->bucket);
	} else {
		location->host = rt_printf(
			ctx, "%s.s3.%s.%s", location->bucket, location->region, domain);
		location->base = "/";
	}
}

rt_status s3_location_read(struct rt_ctx *ctx, const char *url, struct s3_location *location)
{
	const char *endpoint = first_set("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
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
