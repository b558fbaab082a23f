#include "runtime/event/forwarded.h"

#include <stdio.h>
#include <string.h>

#include "runtime/config/config.h"
#include "runtime/text/ascii.h"

static bool is_proxy(const struct rt_ip *ip)
{
	const struct rt_cidr_list *proxies = &rt_config()->trusted_proxies;

	return rt_cidrs_contain(proxies->items, proxies->count, ip);
}

bool rt_is_proxy(const char *address)
{
	struct rt_ip ip;

	return rt_ip_parse(address, &ip) && is_proxy(&ip);
}

/* Removes the last element from the list (shortens *length) and parses it; false when it is not an
 * address. */
static bool take_last(const char *list, size_t *length, struct rt_ip *ip)
{
	char text[RT_IP_TEXT_MAX];
	size_t end = *length;
	size_t start;

	while (end > 0 && rt_is_wsp(list[end - 1]))
		end--;
	start = end;
	while (start > 0 && list[start - 1] != ',')
		start--;
	*length = start > 0 ? start - 1 : 0;
	while (start < end && rt_is_wsp(list[start]))
		start++;
	if (end - start >= sizeof text)
		return false;
	memcpy(text, list + start, end - start);
	text[end - start] = '\0';
	return rt_ip_parse(text, ip);
}

void rt_forwarded_client(
	const char *peer, const char *list, size_t length, char client[RT_IP_TEXT_MAX])
{
	struct rt_ip ip;

	snprintf(client, RT_IP_TEXT_MAX, "%s", peer);
	if (rt_config()->trusted_proxies.count == 0 || !rt_ip_parse(peer, &ip))
		return;
	while (length > 0 && is_proxy(&ip) && take_last(list, &length, &ip))
		rt_ip_format(&ip, client);
}
