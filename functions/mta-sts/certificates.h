/* The certificates that a run of checks saw, summed up for the operator's monitoring.
 *
 * The policy host itself renews the certificates of the policies hosted here, so a certificate that
 * ends soon means that renewal fails. The certificates of mail servers concern the owners of the
 * domains; alerts tell the owners (news.h).
 */
#ifndef MTA_STS_CERTIFICATES_H
#define MTA_STS_CERTIFICATES_H

#include "functions/lib/mta-sts/check.h"
#include "runtime/json.h"

struct mta_sts_certificates {
	/* earliest end of a certificate for a policy hosted here, epoch ms; 0: none seen */
	int64_t policy_until_ms;
	/* earliest end of a mail server's certificate, epoch ms; 0: none seen */
	int64_t mail_until_ms;
	/* policies hosted here whose certificate ends soon (eds_certificate_ends_soon()) */
	size_t policies_ending;
};

void mta_sts_certificates_note(
	struct mta_sts_certificates *certificates, const struct eds_check *check, int64_t now_ms);

/* Adds to a job's answer policyCertificatesEnding and, where a certificate was seen,
 * policyCertificateSeconds and mailCertificateSeconds: the time until the first certificate of each
 * kind ends, 0 when it has ended. */
void mta_sts_certificates_tell(
	const struct mta_sts_certificates *certificates, int64_t now_ms, json_t *answer);

#endif
