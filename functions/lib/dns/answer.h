/* One DNS reply as it came over the network, read into an answer (RFC 1035 section 4).
 *
 * The bytes are a stranger's. What counts is the header, the question section (it must be ours),
 * the CNAME chain from the name asked to where it ends, and the records there; for a negative
 * answer the SOA (RFC 2308). Records of other owners, types and classes are ignored.
 */
#ifndef EDS_DNS_ANSWER_H
#define EDS_DNS_ANSWER_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_DNS_CHAIN_MAX = 16, /* CNAMEs followed in one reply */
};

/* name: normalised (name.h). Never fails: a reply that is malformed, truncated, to another question
 * or with another rcode than NOERROR and NXDOMAIN is EDS_DNS_TEMPORARY with the reason. */
void eds_dns_answer_read(struct rt_ctx *ctx, const uint8_t *bytes, size_t length, const char *name,
	enum eds_dns_type type, struct eds_dns_answer *answer);

#endif
