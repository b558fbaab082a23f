/* CAA records: which authorities may issue certificates for a name (RFC 8659).
 *
 *     example.com CAA 0 issue "ca.example.net; policy=ev"
 *
 * On the wire: an octet of flags, the length of the tag, the tag, and the value without a length.
 */
#ifndef EDS_POSTURE_CAA_H
#define EDS_POSTURE_CAA_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_CAA_CRITICAL = 128, /* section 4.1: an authority must know the tag to issue */
	EDS_CAA_SHOWN_MAX = 512,
};

struct eds_caa {
	unsigned flags;
	const char *tag;   /* lower case letters and digits */
	const char *value; /* printable; other octets are question marks */
};

/* False for data that is not a CAA record. */
bool eds_caa_read(struct rt_ctx *ctx, const struct eds_dns_record *record, struct eds_caa *caa);

enum eds_caa_verdict {
	EDS_CAA_ALLOWS,
	EDS_CAA_RESTRICTS, /* names the authority, with parameters that may exclude an account or a
			      validation method (RFC 8657) */
	EDS_CAA_FORBIDS,   /* has issue properties, but none names the authority */
	EDS_CAA_CRITICAL_UNKNOWN, /* has a critical tag that authorities may not know */
	EDS_CAA_GARBLED,          /* has a malformed record: authorities refuse rather than guess */
};

/* Judges whether the record set lets the authority issue a certificate for a name without wildcard.
 * authority: "letsencrypt.org". */
enum eds_caa_verdict eds_caa_judge(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, const char *authority);

/* "0 issue \"ca.example.net\"", as in master files. */
const char *eds_caa_text(struct rt_ctx *ctx, const struct eds_caa *caa);

#endif
