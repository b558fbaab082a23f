#include "runtime/ip.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void unmap(struct rt_ip *ip)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (ip->family == AF_INET6 && memcmp(ip->bytes, mapped, sizeof mapped) == 0) {
		ip->family = AF_INET;
		memmove(ip->bytes, ip->bytes + 12, 4);
		memset(ip->bytes + 4, 0, 12);
	}
}

bool rt_ip_parse(const char *text, struct rt_ip *ip)
{
	memset(ip, 0, sizeof *ip);
	if (inet_pton(AF_INET, text, ip->bytes) == 1)
		ip->family = AF_INET;
	else if (inet_pton(AF_INET6, text, ip->bytes) == 1)
		ip->family = AF_INET6;
	unmap(ip);
	return ip->family != 0;
}

/* Writes an octet in decimal without a branch, which a processor would mispredict for most
 * addresses. Makes three digits in little-endian order, the order of both supported architectures,
 * and shifts the leading zeros out. Writes four octets of text; returns the end of the digits. */
static char *format_octet(unsigned octet, char *text)
{
	uint32_t digits = octet / 100 | octet / 10 % 10 << 8 | octet % 10 << 16;
	unsigned length = 1U + (octet >= 10) + (octet >= 100);

	digits = (digits | 0x303030) >> 8 * (3 - length);
	memcpy(text, &digits, sizeof digits);
	return text + length;
}

/* Formats an IPv4 address. inet_ntop() takes ten times as long, and a report may have two thousand
 * addresses. */
static void format_v4(const uint8_t *octets, char text[RT_IP_TEXT_MAX])
{
	for (size_t i = 0; i < 4; i++) {
		text = format_octet(octets[i], text);
		*text++ = i < 3 ? '.' : '\0';
	}
}

void rt_ip_format(const struct rt_ip *ip, char text[RT_IP_TEXT_MAX])
{
	text[0] = '\0';
	if (ip->family == AF_INET)
		format_v4(ip->bytes, text);
	else if (ip->family != 0)
		inet_ntop(ip->family, ip->bytes, text, RT_IP_TEXT_MAX);
}

bool rt_ip_equal(const struct rt_ip *a, const struct rt_ip *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool rt_ip_from_sockaddr(const struct sockaddr *address, struct rt_ip *ip)
{
	memset(ip, 0, sizeof *ip);
	ip->family = address->sa_family;
	if (address->sa_family == AF_INET)
		memcpy(ip->bytes, &((const struct sockaddr_in *)(const void *)address)->sin_addr,
			4);
	else if (address->sa_family == AF_INET6)
		memcpy(ip->bytes, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr,
			16);
	else
		ip->family = 0;
	unmap(ip);
	return ip->family != 0;
}

static unsigned bits_of(int family)
{
	return family == AF_INET ? 32 : 128;
}

bool rt_cidr_parse(const char *text, struct rt_cidr *cidr)
{
	const char *slash = strchr(text, '/');
	char address[RT_IP_TEXT_MAX];
	char *end;
	unsigned long prefix;

	if (slash == NULL) {
		bool ok = rt_ip_parse(text, &cidr->ip);

		cidr->prefix = bits_of(cidr->ip.family);
		return ok;
	}
	if ((size_t)(slash - text) >= sizeof address || slash[1] < '0' || slash[1] > '9')
		return false;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = '\0';
	prefix = strtoul(slash + 1, &end, 10);
	if (*end != '\0' || !rt_ip_parse(address, &cidr->ip) || prefix > bits_of(cidr->ip.family))
		return false;
	cidr->prefix = (unsigned)prefix;
	return true;
}

bool rt_cidr_contains(const struct rt_cidr *cidr, const struct rt_ip *ip)
{
	unsigned whole = cidr->prefix / 8;
	unsigned rest = cidr->prefix % 8;

	if (cidr->ip.family != ip->family || memcmp(cidr->ip.bytes, ip->bytes, whole) != 0)
		return false;
	return rest == 0 || ((cidr->ip.bytes[whole] ^ ip->bytes[whole]) >> (8 - rest)) == 0;
}

bool rt_cidrs_contain(const struct rt_cidr *cidrs, size_t count, const struct rt_ip *ip)
{
	for (size_t i = 0; i < count; i++)
		if (rt_cidr_contains(&cidrs[i], ip))
			return true;
	return false;
}

/* The entries of the IANA IPv4 and IPv6 Special-Purpose Address Registries that are not globally
 * reachable, multicast, and ranges that are no longer in use (192.88.99.0/24, ::/96, fec0::/10).
 * Narrower ranges that are reachable come first, with reachable set. */
struct special {
	const char *range;
	bool reachable;
	bool private_use; /* with EDS_ALLOW_PRIVATE_ADDRESSES the range is taken for public */
};

static const struct special specials[] = {
	{"0.0.0.0/8", false, false},
	{"10.0.0.0/8", false, true},
	{"100.64.0.0/10", false, true},
	{"127.0.0.0/8", false, true},
	{"169.254.0.0/16", false, false},
	{"172.16.0.0/12", false, true},
	{"192.0.0.9/32", true, false},
	{"192.0.0.10/32", true, false},
	{"192.0.0.0/24", false, false},
	{"192.0.2.0/24", false, true},
	{"192.88.99.0/24", false, false},
	{"192.168.0.0/16", false, true},
	{"198.18.0.0/15", false, true},
	{"198.51.100.0/24", false, true},
	{"203.0.113.0/24", false, true},
	{"224.0.0.0/4", false, false},
	{"240.0.0.0/4", false, false},
	{"::1/128", false, true},
	{"::/96", false, false},
	{"64:ff9b:1::/48", false, false},
	{"100::/64", false, false},
	{"100:0:0:1::/64", false, false},
	{"2001:1::1/128", true, false},
	{"2001:1::2/128", true, false},
	{"2001:1::3/128", true, false},
	{"2001:3::/32", true, false},
	{"2001:4:112::/48", true, false},
	{"2001:20::/28", true, false},
	{"2001:30::/28", true, false},
	{"2001::/23", false, false},
	{"2001:db8::/32", false, true},
	{"3fff::/20", false, true},
	{"5f00::/16", false, false},
	{"fc00::/7", false, true},
	{"fe80::/10", false, false},
	{"fec0::/10", false, false},
	{"ff00::/8", false, false},
};

enum {
	SPECIALS = sizeof specials / sizeof specials[0],
	GLOBAL_UNICAST = 0x20, /* 2000::/3 */
	GLOBAL_UNICAST_MASK = 0xe0,
};

static const struct rt_cidr *special_ranges(void)
{
	static struct rt_cidr ranges[SPECIALS];
	static bool ready;

	for (size_t i = 0; !ready && i < SPECIALS; i++)
		if (!rt_cidr_parse(specials[i].range, &ranges[i]))
			abort();
	ready = true;
	return ranges;
}

/* The IPv4 address inside a NAT64 (RFC 6052 section 2.1) or 6to4 (RFC 3056 section 2) address. */
static bool embedded_ipv4(const struct rt_ip *ip, struct rt_ip *inner)
{
	static const uint8_t nat64[12] = {0x00, 0x64, 0xff, 0x9b};
	size_t offset;

	if (ip->family != AF_INET6)
		return false;
	if (memcmp(ip->bytes, nat64, sizeof nat64) == 0)
		offset = 12;
	else if (ip->bytes[0] == 0x20 && ip->bytes[1] == 0x02)
		offset = 2;
	else
		return false;
	*inner = (struct rt_ip){.family = AF_INET};
	memcpy(inner->bytes, ip->bytes + offset, 4);
	return true;
}

bool rt_ip_is_public(const struct rt_ip *ip, bool allow_private)
{
	const struct rt_cidr *ranges = special_ranges();
	struct rt_ip inner;

	if (ip->family == 0)
		return false;
	if (embedded_ipv4(ip, &inner))
		return rt_ip_is_public(&inner, allow_private);
	for (size_t i = 0; i < SPECIALS; i++)
		if (rt_cidr_contains(&ranges[i], ip))
			return specials[i].reachable || (allow_private && specials[i].private_use);
	/* Outside 2000::/3, no IPv6 addresses are assigned to internet hosts (RFC 4291 section 2.4,
	 * IANA's IPv6 Address Space). This excludes, for example, ::ffff:0:192.0.2.1 of SIIT. */
	return ip->family == AF_INET || (ip->bytes[0] & GLOBAL_UNICAST_MASK) == GLOBAL_UNICAST;
}
