#include "functions/lib/counted-client.h"
#include "runtime/event/event-http.h"

#include <string.h>

rt_status eds_counted_client(struct rt_ctx *ctx, const struct rt_request *req, const char **client)
{
	const struct rt_cidr_list *blocked = &rt_config()->blocked_networks;
	char text[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	*client = "unknown";
	if (!rt_ip_parse(rt_request_client(ctx, req), &ip))
		return RT_OK;
	if (rt_cidrs_contain(blocked->items, blocked->count, &ip))
		return rt_fail(ctx, RT_FORBIDDEN, "client-blocked",
			"the operator of this service has blocked your network");
	if (ip.family == AF_INET6)
		memset(ip.bytes + 8, 0, 8);
	rt_ip_format(&ip, text);
	*client = rt_printf(ctx, "%s%s", text, ip.family == AF_INET6 ? "/64" : "");
	return RT_OK;
}
