/* The two TXT records of a domain that demands TLS: the policy id (RFC 8461 section 3.1) and the
 * address for reports (TLS-RPT, RFC 8460 section 3).
 *
 *     _mta-sts.example.com   TXT  "v=STSv1; id=20260131235959Z;"
 *     _smtp._tls.example.com TXT  "v=TLSRPTv1; rua=mailto:tls-reports@example.com"
 *
 * Records that do not begin with the version and a semicolon are ignored; exactly one must remain.
 * Findings about the record with the policy id:
 *     txt-missing     no record of this version, and none that was probably meant for MTA-STS
 *     txt-version     no record of this version, but one that was probably meant for MTA-STS
 *     txt-several     more than one record, so none counts
 *     txt-syntax      the record has fields that are not name=value
 *     txt-id-missing  the record has no id=
 *     txt-id-invalid  id= is not 1 to 32 letters and digits
 *     txt-temporary   DNS gave no answer this time
 */
#ifndef EDS_MTA_STS_RECORD_H
#define EDS_MTA_STS_RECORD_H

#include "functions/lib/dns/dns.h"
#include "functions/lib/finding.h"

enum {
	EDS_MTA_STS_ID_MAX = 32,
};

/* The id of the only valid record, or NULL with the reason in errors. */
const char *eds_mta_sts_record_id(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_findings *errors);

enum eds_tlsrpt {
	EDS_TLSRPT_UNKNOWN, /* DNS gave no answer for the record */
	EDS_TLSRPT_PRESENT, /* there is one valid record */
	EDS_TLSRPT_MISSING,
	EDS_TLSRPT_INVALID, /* there are several records, or one that reporters cannot parse */
};

enum eds_tlsrpt eds_tlsrpt_read(const struct eds_dns_answer *answer);
/* The value of rua= for a mail address and a URL: "mailto:…", followed by ",https://…" unless url
 * is NULL. */
const char *eds_tlsrpt_uris(struct rt_ctx *ctx, const char *address, const char *url);

const char *eds_tlsrpt_name(enum eds_tlsrpt state); /* The word for a state of the TLS-RPT record:
						     * "unknown", "present", … */

#endif
