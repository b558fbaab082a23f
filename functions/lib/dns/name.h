/* Domain names as text and in wire format (RFC 1035 section 3.1). */
#ifndef EDS_DNS_NAME_H
#define EDS_DNS_NAME_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_DNS_LABEL_MAX = 63,
	EDS_DNS_WIRE_MAX = 255, /* maximum number of octets of a name on the wire, including the
				 * root label */
};

/* Writes the name in lower case, without the final dot. False when no such name can exist (a label
 * is empty or over 63 octets, the name is over 253 octets, or it is the root). */
bool eds_dns_name_normalize(const char *name, char text[EDS_DNS_NAME_MAX + 1]);

/* False for a normalized name that is not in the public DNS: a name of a single label, a reserved
 * name, or a name below a reserved name. Reserved are localhost (RFC 6761), the names of RFC 6762,
 * 7686, 8375 and 9476, and internal (ICANN). Further names count as reserved because private
 * networks use them (RFC 6762 appendix G). The other names of RFC 6761, such as test, count as
 * public. */
bool eds_dns_name_is_public(const char *name);

/* True when name equals domain or is below domain; both are without a final dot. */
bool eds_dns_name_covers(const char *domain, const char *name);

/* The uncompressed wire form of a normalized name. */
void eds_dns_name_to_wire(const char *text, uint8_t wire[EDS_DNS_WIRE_MAX]);

/* The text of an uncompressed wire name, lower case; "" for the root. A dot inside a label, or an
 * octet that is not printable ASCII, becomes a question mark, so that the text is safe to show and
 * such a name resolves to nothing. */
void eds_dns_name_from_wire(const uint8_t *wire, char text[EDS_DNS_NAME_MAX + 1]);

/* True when two uncompressed wire names are equal without regard to case. */
bool eds_dns_wire_equal(const uint8_t *a, const uint8_t *b);

/* The reversed address before a suffix: "4.3.2.1.SUFFIX" for 1.2.3.4, one label per nibble for IPv6
 * (RFC 1035 section 3.5, RFC 3596 section 2.5). With the suffix "in-addr.arpa" or "ip6.arpa" this
 * is the PTR name; with the zone of a blocklist it is the name that shows whether the list has the
 * address. */
char *eds_dns_reverse_name(struct rt_ctx *ctx, const struct rt_ip *ip, const char *suffix);

/* The PTR name of the address. */
char *eds_dns_ptr_name(struct rt_ctx *ctx, const struct rt_ip *ip);

#endif
