/* The certificates that a run of checks saw, summed up for whoever is on call.
 *
 * Those of policies that are hosted here are the operator's: the policy host renews them by itself,
 * so one that ends soon means that it does not. Those of mail servers are their owners', whom
 * alerts tell (news.h).
 */
#ifndef MTA_STS_CERTIFICATES_H
#define MTA_STS_CERTIFICATES_H

#include "functions/lib/mta-sts/check.h"
#include "runtime/json.h"

struct mta_sts_certificates {
	int64_t policy_until_ms; /* the first to end of those hosted here; 0: none was seen */
	int64_t mail_until_ms;   /* the same of mail servers' */
	size_t policies_ending;  /* of those hosted here (eds_certificate_ends_soon) */
};

void mta_sts_certificates_note(
	struct mta_sts_certificates *certificates, const struct eds_check *check, int64_t now_ms);

/* Into a job's answer: policyCertificatesEnding, and where one was seen policyCertificateSeconds
 * and mailCertificateSeconds, how long the first to end holds yet, 0 when it has ended. */
void mta_sts_certificates_tell(
	const struct mta_sts_certificates *certificates, int64_t now_ms, json_t *answer);

#endif
