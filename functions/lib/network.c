#include "functions/lib/network.h"

#include <string.h>

static const char *prefix(struct rt_ctx *ctx, struct rt_ip ip, size_t octets)
{
	char text[RT_IP_TEXT_MAX];

	memset(ip.bytes + octets, 0, sizeof ip.bytes - octets);
	rt_ip_format(&ip, text);
	return rt_printf(ctx, "%s/%zu", text, octets * 8);
}

void eds_networks_of(struct rt_ctx *ctx, const char *text, struct eds_networks *networks)
{
	char address[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	*networks = (struct eds_networks){.own = "unknown"};
	if (text == NULL || !rt_ip_parse(text, &ip))
		return;
	if (ip.family == AF_INET6) {
		networks->own = prefix(ctx, ip, 8);
		networks->site = prefix(ctx, ip, 6);
		return;
	}
	rt_ip_format(&ip, address);
	networks->own = rt_strdup(ctx, address);
}
