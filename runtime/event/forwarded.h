/* Finds the client's address behind trusted proxies (EDS_TRUSTED_PROXIES), from X-Forwarded-For:
 *
 *     peer 10.0.0.1, "203.0.113.9, 198.51.100.4, 10.0.0.2"  ->  198.51.100.4
 *
 * Each proxy appends the address of its own peer at the right. So the last address that is not a
 * trusted proxy is the client; addresses to its left are only the client's claim. */
#ifndef RT_FORWARDED_H
#define RT_FORWARDED_H

#include "runtime/ip.h"

/* True if the address is one of EDS_TRUSTED_PROXIES. */
bool rt_is_proxy(const char *address);

/* Writes the client's address. peer: the address of the connection. list: the value of
 * X-Forwarded-For, several fields joined by commas. The list is used only if the peer is a trusted
 * proxy; it is read from the right, up to the first address that is not a trusted proxy, or to an
 * element that is not an address. If all addresses read are trusted proxies, the last one read
 * counts as the client. */
void rt_forwarded_client(
	const char *peer, const char *list, size_t length, char client[RT_IP_TEXT_MAX]);

#endif
