/* Who the client is behind proxies of ours (EDS_TRUSTED_PROXIES), from X-Forwarded-For:
 *
 *     peer 10.0.0.1, "203.0.113.9, 198.51.100.4, 10.0.0.2"  ->  198.51.100.4
 *
 * The list grows to the right, each proxy adding its peer: the last address that is no proxy of
 * ours is the client, and what stands to its left is its own claim.
 */
#ifndef RT_FORWARDED_H
#define RT_FORWARDED_H

#include "runtime/ip.h"

/* The address is one of EDS_TRUSTED_PROXIES. */
bool rt_is_proxy(const char *address);

/* peer: the address of the connection. list: the field's value, of several fields joined by commas;
 * it counts from a proxy of ours only, and as far as its elements are addresses. */
void rt_forwarded_client(
	const char *peer, const char *list, size_t length, char client[RT_IP_TEXT_MAX]);

#endif
