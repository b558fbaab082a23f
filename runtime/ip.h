/* IP addresses: parsing, formatting, ranges.
 *
 * IPv4-mapped IPv6 addresses (::ffff:192.0.2.1) become IPv4 when parsed.
 */
#ifndef RT_IP_H
#define RT_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
	RT_IP_TEXT_MAX = 46, /* INET6_ADDRSTRLEN */
};

struct rt_ip {
	int family; /* AF_INET, AF_INET6, or 0 for none */
	uint8_t bytes[16];
};

struct rt_cidr {
	struct rt_ip ip;
	unsigned prefix; /* length of the prefix, bits */
};

/* Parses an address; false for a text with a zone index, port or brackets. */
bool rt_ip_parse(const char *text, struct rt_ip *ip);
void rt_ip_format(const struct rt_ip *ip, char text[RT_IP_TEXT_MAX]);
bool rt_ip_equal(const struct rt_ip *a, const struct rt_ip *b);
bool rt_ip_from_sockaddr(const struct sockaddr *address, struct rt_ip *ip);

/* True if the address is public. These addresses are not public: multicast addresses, IPv6
 * addresses outside of 2000::/3, addresses in ranges that the IANA special-purpose registries (RFC
 * 6890 and updates) list as not globally reachable, and those of the former 6to4 relays
 * (192.88.99.0/24). An address that embeds an IPv4 address (mapped, NAT64 of 64:ff9b::/96, 6to4) is
 * public if the IPv4 address is. If allow_private is true, addresses of this machine, of private
 * networks, and those for documentation and tests count as public; callers pass the setting
 * EDS_ALLOW_PRIVATE_ADDRESSES. */
bool rt_ip_is_public(const struct rt_ip *ip, bool allow_private);

/* Parses "192.0.2.0/24", or a single address. */
bool rt_cidr_parse(const char *text, struct rt_cidr *cidr);
bool rt_cidr_contains(const struct rt_cidr *cidr, const struct rt_ip *ip);
bool rt_cidrs_contain(const struct rt_cidr *cidrs, size_t count, const struct rt_ip *ip);

#endif
