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
	EDS_CAA_CRITICAL = 128, /* with this flag, an authority that does not know the tag must not
				 * issue (section 4.1) */
	EDS_CAA_SHOWN_MAX = 512,
};

struct eds_caa {
	unsigned flags;
	const char *tag;   /* the tag: letters in lower case, and digits */
	const char *value; /* the first EDS_CAA_SHOWN_MAX octets of the value, with a question mark
			    * for each octet that is not printable ASCII */
};

/* Reads the data of a CAA record; false when it is malformed. */
bool eds_caa_read(struct rt_ctx *ctx, const struct eds_dns_record *record, struct eds_caa *caa);

enum eds_caa_verdict {
	EDS_CAA_ALLOWS,
	EDS_CAA_RESTRICTS, /* the records name the authority, but only with parameters that may
			    * exclude an account or a validation method (RFC 8657) */
	EDS_CAA_FORBIDS,   /* the records have issue properties, but none names the authority */
	EDS_CAA_CRITICAL_UNKNOWN, /* a record is critical and has a tag that some authorities do not
				   * know */
	EDS_CAA_GARBLED,          /* a record is malformed, so authorities refuse to issue */
};

/* Judges whether the record set lets the authority issue a certificate for a name that is no
 * wildcard. authority: the authority's domain, for example "letsencrypt.org". */
enum eds_caa_verdict eds_caa_judge(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, const char *authority);

/* Returns the data of the record as zone files have it: 0 issue "ca.example.net". */
const char *eds_caa_text(struct rt_ctx *ctx, const struct eds_caa *caa);

#endif
