#include "functions/lib/counted-client.h"

#include <string.h>

const char *eds_counted_client(struct rt_ctx *ctx, const struct rt_request *req)
{
	char text[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	if (!rt_ip_parse(rt_request_client(ctx, req), &ip))
		return "unknown";
	if (ip.family == AF_INET6)
		memset(ip.bytes + 8, 0, 8);
	rt_ip_format(&ip, text);
	return rt_printf(ctx, "%s%s", text, ip.family == AF_INET6 ? "/64" : "");
}
