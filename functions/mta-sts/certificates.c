#include "functions/mta-sts/certificates.h"
#include "runtime/json-format.h"

static void note_end(int64_t *first_ms, const struct eds_certificate *certificate)
{
	if (certificate->until_ms > 0 && (*first_ms == 0 || certificate->until_ms < *first_ms))
		*first_ms = certificate->until_ms;
}

void mta_sts_certificates_note(
	struct mta_sts_certificates *certificates, const struct eds_check *check, int64_t now_ms)
{
	const struct eds_mta_sts_seen *seen = &check->seen;

	if (!check->config->enabled)
		return;
	for (size_t i = 0; i < seen->mx_count; i++)
		note_end(&certificates->mail_until_ms, &seen->mx[i].certificate);
	/* If the alias leads to another host, that host has the certificate. */
	if (!check->config->hosted || seen->alias != EDS_ALIAS_RIGHT)
		return;
	note_end(&certificates->policy_until_ms, &seen->certificate);
	if (eds_certificate_ends_soon(&seen->certificate, now_ms))
		certificates->policies_ending++;
}

static void tell_left(const char *name, int64_t until_ms, int64_t now_ms, json_t *answer)
{
	int64_t left_ms = until_ms > now_ms ? until_ms - now_ms : 0;

	if (until_ms > 0)
		rt_json_set(answer, name, json_integer(left_ms / 1000));
}

void mta_sts_certificates_tell(
	const struct mta_sts_certificates *certificates, int64_t now_ms, json_t *answer)
{
	rt_json_set(answer, "policyCertificatesEnding",
		json_integer((json_int_t)certificates->policies_ending));
	tell_left("policyCertificateSeconds", certificates->policy_until_ms, now_ms, answer);
	tell_left("mailCertificateSeconds", certificates->mail_until_ms, now_ms, answer);
}
