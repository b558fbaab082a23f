/* One DNS reply as received from the network, read into an answer (RFC 1035 section 4).
 *
 * The bytes are untrusted. The reader uses the header, the question section (which must repeat our
 * question), the CNAME chain that begins at the name asked, and the records of the last name of
 * this chain; for a negative answer also the SOA and NS records of the authority section (RFC 2308)
 * and the OPT record; for SERVFAIL also the extended error. In the answer section it ignores
 * records of other owners, types and classes.
 */
#ifndef EDS_DNS_ANSWER_H
#define EDS_DNS_ANSWER_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_DNS_CHAIN_MAX = 16, /* maximum number of CNAMEs followed in one reply */
};

/* Reads a reply to the question for this name, which is normalized (name.h). Never fails: the
 * answer is EDS_DNS_TEMPORARY, with the reason, when the reply is malformed or truncated, answers
 * another question, only refers to other name servers, or has an rcode other than NOERROR and
 * NXDOMAIN. */
void eds_dns_answer_read(struct rt_ctx *ctx, const uint8_t *bytes, size_t length, const char *name,
	enum eds_dns_type type, struct eds_dns_answer *answer);

/* An estimate of the octets of memory that eds_dns_answer_read() takes for this reply. It counts
 * the longest possible names, since a small reply may have long names: they are compressed on the
 * wire. It does not count the names of CNAME records. */
size_t eds_dns_answer_memory(const uint8_t *bytes, size_t length, enum eds_dns_type type);

#endif
