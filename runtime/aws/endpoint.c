#include "runtime/aws/endpoint.h"

#include <stdlib.h>
#include <string.h>

const char *aws_setting(const char *first, const char *second)
{
	const char *value = getenv(first);

	if (value == NULL || value[0] == '\0')
		value = getenv(second);
	return value != NULL && value[0] != '\0' ? value : NULL;
}

bool aws_endpoint_parse(struct rt_ctx *ctx, const char *text, struct aws_endpoint *endpoint)
{
	const char *scheme = strncmp(text, "http://", 7) == 0 ? "http://" : "https://";
	const char *host = text + strlen(scheme);
	size_t length;

	if (strncmp(text, scheme, strlen(scheme)) != 0)
		return false;
	length = strcspn(host, "/?#@ \r\n");
	if (length == 0 || length > AWS_ENDPOINT_MAX ||
		(host[length] != '\0' && strcmp(host + length, "/") != 0))
		return false;
	*endpoint = (struct aws_endpoint){scheme, rt_memdup(ctx, host, length)};
	return true;
}

bool aws_region_is_valid(const char *text, size_t length)
{
	return length > 0 && length <= AWS_REGION_MAX &&
		strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") >= length;
}

const char *aws_domain(const char *region)
{
	return strncmp(region, "cn-", 3) == 0 ? "amazonaws.com.cn" : "amazonaws.com";
}
