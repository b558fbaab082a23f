#include <string.h>

#include "functions/lib/dmarc/published.h"
#include "functions/lib/posture/bimi.h"
#include "functions/lib/posture/caa.h"
#include "functions/lib/posture/item.h"
#include "functions/lib/posture/web.h"

/* The names from mta-sts.DOMAIN up to the top-level domain (RFC 8659 section 3), at most
 * EDS_CAA_NAMES_MAX. */
size_t eds_look_caa_names(
	struct rt_ctx *ctx, const char *domain, const char *names[EDS_CAA_NAMES_MAX])
{
	size_t count = 0;

	names[count++] = rt_printf(ctx, "mta-sts.%s", domain);
	while (domain != NULL && count < EDS_CAA_NAMES_MAX) {
		const char *dot = strchr(domain, '.');

		names[count++] = domain;
		domain = dot != NULL ? dot + 1 : NULL;
	}
	return count;
}

/* The answer for the first name from mta-sts.DOMAIN upwards that has CAA records; NULL if none has,
 * or if DNS failed for a name before it. *failed is set to that name, or else to NULL.
 */
static const struct eds_dns_answer *relevant(struct eds_look *look, const char **failed)
{
	const char *names[EDS_CAA_NAMES_MAX];
	size_t count = eds_look_caa_names(look->ctx, look->domain, names);

	*failed = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct eds_dns_answer *answer = eds_dns_get(look->dns, names[i], EDS_DNS_CAA);

		if (answer->state == EDS_DNS_FOUND)
			return answer;
		if (answer->state == EDS_DNS_TEMPORARY) {
			*failed = names[i];
			return NULL;
		}
	}
	return NULL;
}

static void show_caa(struct eds_look *look, const struct eds_dns_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++) {
		struct eds_caa caa;
		const char *text = "a CAA record that cannot be read";

		if (eds_caa_read(look->ctx, &answer->records[i], &caa))
			text = rt_printf(look->ctx, "%s CAA %s", answer->name,
				eds_caa_text(look->ctx, &caa));
		eds_look_show(look, text, strlen(text));
	}
}

/* The state of a finding about CAA records that exclude the certificate authority of our policy
 * host. It is an error only for a domain whose policy our policy host serves. */
static enum eds_posture_state policy_state(const struct eds_look *look)
{
	return look->question->hosted ? EDS_POSTURE_ERROR : EDS_POSTURE_OK;
}

static bool is_at_domain(const struct eds_look *look, const char *name)
{
	return strcmp(name, look->domain) == 0 || strcmp(name, eds_look_name(look, "mta-sts")) == 0;
}

/* Suggests one more CAA record: it adds a permission and revokes none. But when the records
 * belong to an alias or to a domain above, the finding has no record to publish: the owner of
 * those records must change them. New records at the domain would make authorities ignore those
 * records. */
static void say_forbidden(struct eds_look *look, const struct eds_dns_answer *answer)
{
	const char *authority = look->question->authority;
	struct eds_posture_finding *finding = eds_look_find(look, policy_state(look), "caa-forbids",
		"Add the record, if this service is to serve the MTA-STS policy.",
		"The CAA records at %s forbid %s to issue a certificate for mta-sts.%s; a policy "
		"that this service hosts needs this certificate.",
		answer->canonical, authority, look->domain);

	if (!answer->aliased && is_at_domain(look, answer->name))
		finding->record = (struct eds_posture_record){.name = answer->name,
			.type = "CAA",
			.value = rt_printf(look->ctx, "0 issue \"%s\"", authority)};
}

static void judge_caa(struct eds_look *look, const struct eds_dns_answer *answer)
{
	switch (eds_caa_judge(look->ctx, answer, look->question->authority)) {
	case EDS_CAA_ALLOWS:
		break;
	case EDS_CAA_RESTRICTS:
		eds_look_find(look, policy_state(look), "caa-restricts",
			"Allow the certificate authority without parameters, if this service is to serve the "
			"MTA-STS policy.",
			"The CAA records at %s allow %s only for one account or one validation "
			"method (RFC 8657); the policy host possibly uses another.",
			answer->canonical, look->question->authority);
		break;
	case EDS_CAA_FORBIDS:
		say_forbidden(look, answer);
		break;
	case EDS_CAA_CRITICAL_UNKNOWN:
		eds_look_find(look, EDS_POSTURE_ERROR, "caa-critical-unknown",
			"Correct the tag, or set the flags to 0.",
			"A CAA record at %s is marked as critical and has an unknown tag, so no "
			"authority may issue a certificate (RFC 8659 section 4.1).",
			answer->canonical);
		break;
	case EDS_CAA_GARBLED:
		eds_look_find(look, EDS_POSTURE_ERROR, "caa-invalid",
			"Publish the record again in the correct form.",
			"A CAA record at %s cannot be read, so authorities may refuse "
			"certificates.",
			answer->canonical);
		break;
	}
}

void eds_look_caa(struct eds_look *look)
{
	const char *failed;
	const struct eds_dns_answer *answer = relevant(look, &failed);

	if (failed != NULL)
		eds_look_unanswered(look, "caa-temporary", failed);
	if (answer == NULL)
		return;
	show_caa(look, answer);
	judge_caa(look, answer);
}

static void say_bimi(struct eds_look *look, const char *code, const char *message)
{
	eds_look_find(look, EDS_POSTURE_WARNING, code,
		"Publish one record of the form v=BIMI1; l=https://…; a=https://…, with the "
		"addresses of the logo and of its certificate.",
		"%s", message);
}

/* Receivers show the logo only when the DMARC policies for the domain and for its subdomains are
 * quarantine or reject, without t=y. */
static void check_policy(struct eds_look *look)
{
	struct eds_dmarc_published *published = rt_alloc(look->ctx, sizeof *published);
	const struct eds_dmarc_record *tags = &published->tags;

	eds_dmarc_find(look->ctx, look->dns, look->domain, published);
	if (published->failed != NULL)
		return;
	if (published->found && published->usable && published->policy != EDS_DMARC_P_NONE &&
		tags->sp != EDS_DMARC_P_NONE && !tags->testing)
		return;
	eds_look_find(look, EDS_POSTURE_WARNING, "bimi-policy",
		"Raise the DMARC policy to quarantine or reject first, for subdomains as well and "
		"without t=y.",
		"Receivers do not show the logo: the DMARC policy of %s does not tell them to "
		"quarantine or reject all mail that fails.",
		look->domain);
}

void eds_look_bimi(struct eds_look *look)
{
	const char *name = eds_look_name(look, "default._bimi");
	const struct eds_dns_answer *answer = eds_dns_get(look->dns, name, EDS_DNS_TXT);
	const struct eds_dns_record *record;
	enum eds_bimi state = eds_bimi_read(answer, &record);

	if (answer->state == EDS_DNS_TEMPORARY)
		eds_look_unanswered(look, "bimi-temporary", name);
	if (record != NULL)
		eds_look_show(look, record->txt, record->txt_length);
	if (state == EDS_BIMI_SEVERAL)
		say_bimi(look, "bimi-several-records",
			"There are several BIMI records, so receivers ignore all of them.");
	else if (state == EDS_BIMI_SYNTAX)
		say_bimi(look, "bimi-syntax",
			"The BIMI record has a part that is not tag=value, or has no l=.");
	else if (state == EDS_BIMI_LOCATION)
		say_bimi(look, "bimi-location",
			"The BIMI record names a logo or certificate that is not an https "
			"address.");
	else if (state == EDS_BIMI_LOGO)
		check_policy(look);
}
