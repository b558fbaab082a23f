#include <string.h>

#include "functions/lib/mta-sts/record.h"
#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/posture/item.h"
#include "functions/lib/posture/transport.h"
#include "runtime/time.h"

/* Shows the records that begin with the prefix; returns the last of them, or NULL. */
static const struct eds_dns_record *show(
	struct eds_look *look, const struct eds_dns_answer *answer, const char *prefix)
{
	const struct eds_dns_record *last = NULL;

	for (size_t i = 0; i < answer->count; i++) {
		const struct eds_dns_record *record = &answer->records[i];

		if (record->txt_length < strlen(prefix) ||
			memcmp(record->txt, prefix, strlen(prefix)) != 0)
			continue;
		eds_look_show(look, record->txt, record->txt_length);
		last = record;
	}
	return last;
}

static bool has_address(const struct eds_dns_answer *four, const struct eds_dns_answer *six)
{
	return four->state == EDS_DNS_FOUND || six->state == EDS_DNS_FOUND;
}

/* Judges the certificate that the latest check of MTA-STS saw when it fetched the policy. */
static void check_certificate(struct eds_look *look, const char *host)
{
	const struct eds_mta_sts_seen *servers = look->question->servers;

	if (servers != NULL && eds_certificate_ends_soon(&servers->certificate, rt_wall_ms()))
		eds_look_find(look, EDS_POSTURE_WARNING, "host-certificate-ends",
			"Renew the certificate: senders cannot fetch the policy once it has ended.",
			"The certificate of the policy host %s ends at %s.", host,
			rt_time_format(look->ctx, servers->certificate.until_ms));
}

/* Says that the policy was not fetched, because a look asks only DNS. Says nothing when an earlier
 * check of MTA-STS has fetched the policy. */
static void say_unfetched(struct eds_look *look, const char *host)
{
	if (look->question->servers != NULL && look->question->servers->policy_fetched)
		return;
	look->item->aside = true;
	eds_look_find(look, EDS_POSTURE_UNKNOWN, "mta-sts-policy-unseen",
		"Open the address to see the policy. If the domain belongs to an account, the "
		"check of MTA-STS fetches the policy.",
		"The records of MTA-STS are published. Whether a policy is served at "
		"https://%s/.well-known/mta-sts.txt does not show in DNS.",
		host);
}

static void check_policy_host(struct eds_look *look)
{
	const char *host = eds_look_name(look, "mta-sts");
	const struct eds_dns_answer *four = eds_dns_get(look->dns, host, EDS_DNS_A);
	const struct eds_dns_answer *six = eds_dns_get(look->dns, host, EDS_DNS_AAAA);

	if (has_address(four, six)) {
		check_certificate(look, host);
		say_unfetched(look, host);
		return;
	}
	if (four->state == EDS_DNS_TEMPORARY || six->state == EDS_DNS_TEMPORARY)
		eds_look_unanswered(look, "host-temporary", host);
	else
		eds_look_find(look, EDS_POSTURE_ERROR, "host-no-address",
			"Publish a CNAME or address record that leads from this name to the "
			"server of the policy.",
			"%s has no address, so nobody can fetch the policy.", host);
}

static void say_no_policy(struct eds_look *look, const struct eds_findings *errors)
{
	for (size_t i = 0; i < errors->count; i++) {
		const char *code = errors->items[i].code;

		if (strcmp(code, "txt-temporary") == 0)
			eds_look_unanswered(look, code, eds_look_name(look, "_mta-sts"));
		else if (strcmp(code, "txt-missing") != 0)
			eds_look_find(
				look, EDS_POSTURE_ERROR, code, "", "%s", errors->items[i].message);
		else if (look->takes_mail)
			eds_look_find(look, EDS_POSTURE_WARNING, "mta-sts-missing",
				"Set up MTA-STS. Begin with the mode \"testing\", which holds up "
				"no mail.",
				"%s has no MTA-STS: an attacker between sender and mail server can "
				"switch TLS off and read the mail.",
				look->domain);
	}
}

void eds_look_mta_sts(struct eds_look *look)
{
	const struct eds_dns_answer *answer = eds_dns_get(
		look->dns, eds_look_name(look, "_mta-sts"), EDS_DNS_TXT);
	struct eds_findings errors = {.count = 0};
	const char *id = eds_mta_sts_record_id(look->ctx, answer, &errors);

	show(look, answer, "v=STSv1");
	if (id != NULL)
		check_policy_host(look);
	else
		say_no_policy(look, &errors);
}

/* Returns the record with these URIs added to its rua=. That field follows the version (RFC 8460
 * section 3), so it begins at the first "rua=" of the text, and ends at the next semicolon. */
static const char *with_uris(
	struct rt_ctx *ctx, const struct eds_dns_record *record, const char *uris)
{
	const char *rua = strcasestr(record->txt, "rua=");
	size_t length;

	if (rua == NULL || !eds_look_is_plain(record->txt, record->txt_length))
		return NULL;
	length = (size_t)(rua - record->txt) + strcspn(rua, ";");
	while (length > 0 && record->txt[length - 1] == ' ')
		length--;
	return rt_printf(ctx, "%.*s,%s%s", (int)length, record->txt, uris, record->txt + length);
}

static void put_record(struct eds_look *look, struct eds_posture_finding *finding,
	const char *value, const char *old)
{
	if (value != NULL)
		finding->record = (struct eds_posture_record){
			.name = eds_look_name(look, "_smtp._tls"),
			.type = "TXT",
			.value = value,
			.old = old};
}

static const char *own_uris(const struct eds_look *look)
{
	return eds_tlsrpt_uris(
		look->ctx, look->question->report_address, look->question->report_url);
}

static void say_missing(struct eds_look *look)
{
	const char *address = look->question->report_address;

	if (look->mx.null_mx || (!look->takes_mail && address == NULL))
		return; /* nobody delivers to a domain with a null MX, so there is nothing to
			 * report. A domain without MX gets the advice only if it has a report
			 * address here. */
	put_record(look,
		eds_look_find(look, EDS_POSTURE_WARNING, "tlsrpt-missing",
			address != NULL
				? "Publish this record."
				: "Publish v=TLSRPTv1; rua=mailto: with the address of a mailbox that "
				  "you read.",
			"%s has no TLS-RPT record (RFC 8460), so senders send no report when "
			"they cannot deliver mail to it over TLS.",
			look->domain),
		address != NULL ? rt_printf(look->ctx, "v=TLSRPTv1; rua=%s", own_uris(look)) : NULL,
		NULL);
}

/* True when the record names this URI, in upper or lower case, perhaps with a "?" or "!" and more
 * after it. A longer address that begins with the URI does not count. */
static bool names(const struct eds_dns_record *record, const char *uri)
{
	for (const char *at = strcasestr(record->txt, uri); at != NULL;
		at = strcasestr(at + 1, uri))
		if (strchr(",; ?!\t", at[strlen(uri)]) != NULL)
			return true;
	return false;
}

/* True when the record names our mailbox or our URL: either is enough for reports to arrive. */
static bool names_us(const struct eds_look *look, const struct eds_dns_record *record)
{
	const struct eds_posture_question *question = look->question;

	return names(record, rt_printf(look->ctx, "mailto:%s", question->report_address)) ||
		(question->report_url != NULL && names(record, question->report_url));
}

static void check_reports(struct eds_look *look, const struct eds_dns_record *record)
{
	if (look->question->report_address == NULL || names_us(look, record))
		return;
	put_record(look,
		eds_look_find(look, EDS_POSTURE_WARNING, "tlsrpt-reports-elsewhere",
			"Publish the record with this service's address added; leave the rest "
			"unchanged.",
			"TLS reports about %s are not sent to this service: rua= does not name "
			"this service.",
			look->domain),
		with_uris(look->ctx, record, own_uris(look)), look->item->record);
}

void eds_look_tls_rpt(struct eds_look *look)
{
	const char *name = eds_look_name(look, "_smtp._tls");
	const struct eds_dns_answer *answer = eds_dns_get(look->dns, name, EDS_DNS_TXT);
	const struct eds_dns_record *record = show(look, answer, "v=TLSRPTv1");

	switch (eds_tlsrpt_read(answer)) {
	case EDS_TLSRPT_UNKNOWN:
		eds_look_unanswered(look, "tlsrpt-temporary", name);
		break;
	case EDS_TLSRPT_MISSING:
		say_missing(look);
		break;
	case EDS_TLSRPT_INVALID:
		eds_look_find(look, EDS_POSTURE_ERROR, "tlsrpt-invalid",
			"Keep one record of the form v=TLSRPTv1; rua=mailto:… (RFC 8460 section "
			"3).",
			"The TLS-RPT record cannot be read, or there are several such records. "
			"Reporters ignore them.");
		break;
	case EDS_TLSRPT_PRESENT:
		look->item->published_at = name;
		if (record != NULL)
			check_reports(look, record);
		break;
	}
}
