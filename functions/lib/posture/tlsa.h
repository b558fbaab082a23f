/* TLSA records of a mail server: the certificate or key that the server must present (RFC 6698, RFC
 * 7672).
 *
 *     _25._tcp.mx.example.com TLSA 3 1 1 0d7f…   (DANE-EE, the key, SHA-256)
 *
 * On the wire three octets (usage, selector, matching type), then the data.
 */
#ifndef EDS_POSTURE_TLSA_H
#define EDS_POSTURE_TLSA_H

#include "functions/lib/dns/dns.h"

enum eds_tlsa_verdict {
	EDS_TLSA_USABLE,
	EDS_TLSA_GARBLED,  /* the data is not a TLSA record */
	EDS_TLSA_USAGE,    /* the usage is neither 2 nor 3; 0 and 1 are not for SMTP (RFC 7672
			    * section 3.1.3) */
	EDS_TLSA_SELECTOR, /* the selector is neither 0 (the certificate) nor 1 (its key) */
	EDS_TLSA_MATCHING, /* the matching type is neither 0, 1 nor 2 */
	EDS_TLSA_LENGTH,   /* the length of the data does not fit the matching type */
};

struct eds_tlsa {
	enum eds_tlsa_verdict verdict;
	const char *text; /* "3 1 1 0d7f…", with only the beginning of long data; "" for
			   * EDS_TLSA_GARBLED */
};

void eds_tlsa_read(struct rt_ctx *ctx, const struct eds_dns_record *record, struct eds_tlsa *tlsa);

/* The fault of a record, as the end of the sentence "its TLSA record …"; "" for a usable record. */
const char *eds_tlsa_fault(enum eds_tlsa_verdict verdict);

#endif
