#include <string.h>

#include "functions/lib/dmarc/evaluate.h"
#include "functions/lib/dmarc/record-edit.h"
#include "functions/lib/dns/name.h"
#include "functions/tester/advice/advice-dmarc.h"
#include "functions/tester/advice/advice.h"
#include "functions/tester/mailbox-provider.h"

static const char several_records[] = "dmarc-several-records";

static const enum tester_rule fail_rules[] = {
	[EDS_DMARC_P_NONE] = DMARC_FAIL_NONE,
	[EDS_DMARC_P_QUARANTINE] = DMARC_FAIL_QUARANTINE,
	[EDS_DMARC_P_REJECT] = DMARC_FAIL_REJECT,
};

/* Advises on a From domain that does not exist; offers no record, since such a domain cannot
 * publish one. */
static void advise_no_domain(struct advice_list *list, const char *domain, enum tester_rule rule)
{
	advice_add(list, ADVICE_ACTION, rule, "from-domain-missing",
		"The From domain %s does not exist in DNS: it has no A, AAAA or MX record. Many "
		"receivers refuse such mail. Correct the From address, or publish DNS records for "
		"the domain.",
		domain);
}

static void advise_none(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;
	const char *domain = analysis->from.domains[0];
	struct advice *item;

	if (dmarc->no_such_domain) {
		advise_no_domain(list, domain, TESTER_NO_RULE);
		return;
	}
	if (eds_finding_has(&dmarc->warnings, several_records))
		return; /* the warning about several records gives the advice */
	if (dmarc->record[0] != '\0') {
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-unusable",
			"The DMARC record of %s has neither a valid p= nor a valid rua=, so it "
			"has no effect. Let it say p=none, p=quarantine or p=reject. It is: %s",
			dmarc->record_domain, dmarc->record);
		return;
	}
	if (dmarc->misspelt != NULL) {
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-version",
			"Receivers ignore the record at _dmarc.%s, because it does not begin with "
			"v=DMARC1 and a semicolon. Let the record begin with exactly these "
			"characters. The record is: %.300s",
			domain, dmarc->misspelt);
		return;
	}
	/* The advised record has no rua=: with an invented address reports would go to a mailbox
	 * that nobody has. */
	item = advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-missing",
		"%s publishes no DMARC record, and no domain above it does. Begin with the "
		"record given here, which asks receivers to refuse nothing. To receive reports, add "
		"rua=mailto: with the address of a mailbox that you read.",
		domain);
	item->record = (struct advice_record){.name = rt_printf(list->ctx, "_dmarc.%s", domain),
		.type = "TXT",
		.value = "v=DMARC1; p=none"};
}

/* The published record with relaxed alignment for the mechanism that fails only because of strict
 * alignment. */
static struct advice_record relaxed_record(
	struct advice_list *list, const struct eds_dmarc_result *dmarc)
{
	const char *value = dmarc->record_exact ? dmarc->record : NULL;

	if (value != NULL && dmarc->spf.strict_alone)
		value = eds_dmarc_record_with(list->ctx, value, "aspf", "r");
	if (value != NULL && dmarc->dkim.strict_alone)
		value = eds_dmarc_record_with(list->ctx, value, "adkim", "r");
	if (value == NULL)
		return (struct advice_record){.type = NULL};
	return (struct advice_record){
		.name = rt_printf(list->ctx, "_dmarc.%s", dmarc->record_domain),
		.type = "TXT",
		.value = value};
}

static void advise_strict(
	struct advice_list *list, const struct eds_dmarc_result *dmarc, const char *from)
{
	const struct eds_dmarc_identifier *one = dmarc->dkim.strict_alone ? &dmarc->dkim
									  : &dmarc->spf;
	bool dkim = one == &dmarc->dkim;
	struct advice *item = advice_add(list, ADVICE_ACTION, fail_rules[dmarc->policy],
		"dmarc-strict",
		"DMARC failed for %s only because of strict alignment: %s passed for %s, but %s=s "
		"requires %s itself. Use %s itself as the domain of the signature or of the "
		"envelope sender, or publish this record, which accepts any domain of the same "
		"organization.",
		from, dkim ? "DKIM" : "SPF", one->domain, dkim ? "adkim" : "aspf", from, from);

	item->record = relaxed_record(list, dmarc);
}

static void advise_mailbox_provider(
	struct advice_list *list, const struct eds_dmarc_result *dmarc, const char *from)
{
	advice_add(list, ADVICE_ACTION, fail_rules[dmarc->policy], "dmarc-mailbox-provider",
		"DMARC failed for %s: that is a mailbox provider's domain, and only mail that the "
		"provider's own servers send passes for it. Write an address of a domain of yours "
		"in From, and the mailbox's address in Reply-To.",
		from);
}

static void advise_foreign_signature(
	struct advice_list *list, const struct eds_dmarc_result *dmarc, const char *from)
{
	advice_add(list, ADVICE_ACTION, fail_rules[dmarc->policy], "dmarc-foreign-signature",
		"DMARC failed for %s: the valid DKIM signature is of %s, as mail providers sign "
		"with their own domain until they are told otherwise. Set up %s as a signing "
		"domain with the provider, and publish the DKIM records that it then gives you "
		"(often CNAMEs under _domainkey.%s); after that, the provider signs with d=%s.",
		from, dmarc->dkim.domain, from, from, from);
}

/* The passing SPF or DKIM result that would be aligned if the suffix were not a public one; NULL
 * for none. */
static const struct eds_dmarc_identifier *split_off(const struct eds_dmarc_result *dmarc)
{
	/* A top-level domain really is a public suffix, so psd=y is right for it. */
	if (dmarc->suffix == NULL || strchr(dmarc->suffix, '.') == NULL)
		return NULL;
	if (dmarc->dkim.passed && eds_dns_name_covers(dmarc->suffix, dmarc->dkim.domain))
		return &dmarc->dkim;
	return dmarc->spf.passed && eds_dns_name_covers(dmarc->suffix, dmarc->spf.domain)
		? &dmarc->spf
		: NULL;
}

/* Advises on psd=y that was probably set by mistake: it makes receivers treat each name below the
 * suffix as a separate organization. In that case the record is at fault, not the signature or the
 * envelope sender. */
static void advise_suffix(struct advice_list *list, const struct eds_dmarc_result *dmarc,
	const struct eds_dmarc_identifier *one, const char *from)
{
	static const char *const psd[] = {"psd", NULL};
	const char *suffix = dmarc->suffix;
	bool dkim = one == &dmarc->dkim;
	struct advice *item = advice_add(list, ADVICE_ACTION, fail_rules[dmarc->policy],
		"dmarc-public-suffix",
		"DMARC failed for %s, although %s passed for %s: psd=y in the record at _dmarc.%s "
		"says that %s is a public suffix, so that each name below it is an organization of "
		"its own. If %s is yours and nobody else has names below it, remove psd=y. If it "
		"is a public suffix, %s %s itself.",
		from, dkim ? "DKIM" : "SPF", one->domain, suffix, suffix, suffix,
		dkim ? "sign with" : "use an envelope sender under", from);

	if (dmarc->suffix_record != NULL)
		item->record = (struct advice_record){
			.name = rt_printf(list->ctx, "_dmarc.%s", suffix),
			.type = "TXT",
			.value = eds_dmarc_record_without(list->ctx, dmarc->suffix_record, psd)};
}

/* A signature of the From domain, or of another domain of its organization, that is not valid; NULL
 * for none. */
static const struct eds_dkim_signature *own_broken(const struct analysis *analysis)
{
	const char *org_domain = analysis->dmarc.org_domain;
	const char *domain = org_domain[0] != '\0' ? org_domain : analysis->from.domains[0];

	for (size_t i = 0; i < analysis->dkim.count; i++) {
		const struct eds_dkim_signature *one = &analysis->dkim.signatures[i];

		if ((one->state == EDS_DKIM_INVALID || one->state == EDS_DKIM_TESTING) &&
			eds_dns_name_covers(domain, one->domain))
			return one;
	}
	return NULL;
}

/* Advises on a broken signature of the From domain. The provider signs with that domain already, so
 * only the signature must be corrected. */
static void advise_broken_signature(struct advice_list *list, const struct analysis *analysis,
	const struct eds_dkim_signature *broken)
{
	const char *from = analysis->from.domains[0];
	enum tester_rule rule = fail_rules[analysis->dmarc.policy];

	if (analysis->headers.passed_on != NULL)
		advice_add(list, ADVICE_ACTION, rule, "dmarc-broken-signature",
			"DMARC failed for %s: a mailing list or forwarder passed the message on, "
			"and the signature of %s is no longer valid. Let it leave the message "
			"unchanged; a list that changes messages must write its own address in "
			"From.",
			from, broken->domain);
	else
		advice_add(list, ADVICE_ACTION, rule, "dmarc-broken-signature",
			"DMARC failed for %s: the message has a signature of %s (selector %s), but "
			"it is not valid, and nothing else of that domain passed. Correct that "
			"signature; the advice on DKIM says what is wrong with it.",
			from, broken->domain, broken->selector);
}

static bool is_bounce(const struct analysis *analysis)
{
	return analysis->mail_from != NULL && analysis->mail_from[0] == '\0';
}

static void advise_other_failure(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;
	const char *from = analysis->from.domains[0];

	/* a bounce must have an empty envelope sender, so the advice does not ask for another
	 * sender */
	if (is_bounce(analysis))
		advice_add(list, ADVICE_ACTION, fail_rules[dmarc->policy], "dmarc-fail",
			"DMARC failed for %s: %s The envelope sender is empty, so SPF is judged "
			"for the name that the server greets with (HELO). Sign with DKIM under "
			"%s, or let the server greet with a name under it that SPF authorizes.",
			from, dmarc->reason, from);
	else if (dmarc->spf.passed)
		advice_add(list, ADVICE_ACTION, fail_rules[dmarc->policy], "dmarc-fail",
			"DMARC failed for %s: SPF passed for %s, which is another domain, and no "
			"valid signature is of %s. Sign with DKIM under %s, or use an envelope "
			"sender under it.",
			from, dmarc->spf.domain, from, from);
	else
		advice_add(list, ADVICE_ACTION, fail_rules[dmarc->policy], "dmarc-fail",
			"DMARC failed for %s: %s Sign with DKIM under %s, or use an envelope "
			"sender under it that SPF authorizes.",
			from, dmarc->reason, from);
}

static const char *who_rejects(const struct eds_dmarc_result *dmarc)
{
	if (dmarc->tags.testing)
		return "those that only know the older RFC 7489, and so ignore t=y,";
	if (dmarc->tags.percent >= 0 && dmarc->tags.percent < 100)
		return "those that follow RFC 9989, and so ignore pct=,";
	return "most";
}

static void advise_fail(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;
	const char *from = analysis->from.domains[0];
	const struct eds_dkim_signature *broken = own_broken(analysis);
	const struct eds_dmarc_identifier *apart = split_off(dmarc);

	if (dmarc->published == EDS_DMARC_P_REJECT)
		advice_add(list, ADVICE_URGENT, TESTER_NO_RULE, "receivers-reject",
			"DMARC failed and %s asks receivers to reject such mail: %s will "
			"refuse this message whatever its score. The advice on DMARC says what to "
			"correct.",
			dmarc->record_domain, who_rejects(dmarc));
	if (dmarc->no_such_domain)
		advise_no_domain(list, from, fail_rules[dmarc->policy]);
	else if (dmarc->spf.strict_alone || dmarc->dkim.strict_alone)
		advise_strict(list, dmarc, from);
	else if (apart != NULL)
		advise_suffix(list, dmarc, apart, from);
	else if (is_mailbox_provider(from))
		advise_mailbox_provider(list, dmarc, from);
	else if (broken != NULL)
		advise_broken_signature(list, analysis, broken);
	else if (dmarc->dkim.passed)
		advise_foreign_signature(list, dmarc, from);
	else
		advise_other_failure(list, analysis);
}

/* Advice on the tags that make the applied policy differ from p=. */
static void advise_policy(struct advice_list *list, const struct eds_dmarc_result *dmarc)
{
	if (!dmarc->has_record || dmarc->applied == EDS_DMARC_TAG_NONE ||
		eds_dmarc_is_of_suffix(dmarc))
		return;
	if (dmarc->tags.testing && dmarc->published != dmarc->policy)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-in-testing",
			"t=y asks receivers to treat failing mail one step more mildly: %s=%s "
			"counts as %s, except for receivers that only know the older RFC 7489. "
			"Remove t=y when the reports show no failures of your own mail.",
			eds_dmarc_tag_name(dmarc->applied), eds_dmarc_policy_name(dmarc->published),
			eds_dmarc_policy_name(dmarc->policy));
	if (dmarc->applied == EDS_DMARC_TAG_NP)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-np",
			"The From domain does not exist, so np=%s of the record at _dmarc.%s "
			"applies.",
			eds_dmarc_policy_name(dmarc->published), dmarc->record_domain);
}

static void advise_warnings(struct advice_list *list, const struct eds_dmarc_result *dmarc)
{
	for (size_t i = 0; i < dmarc->warnings.count; i++) {
		const struct eds_finding *warning = &dmarc->warnings.items[i];

		/* there is no single record that the advice could name */
		if (strcmp(warning->code, several_records) == 0)
			advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, warning->code,
				"%s Receivers then use none of them. Remove all but the one that "
				"you mean.",
				warning->message);
		else if (!eds_dmarc_is_of_suffix(dmarc))
			advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, warning->code,
				"The DMARC record of %s: %s", dmarc->record_domain,
				warning->message);
	}
}

void advice_dmarc(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;

	switch (dmarc->code) {
	case EDS_DMARC_PASS:
		advice_add(list, ADVICE_GOOD, DMARC_PASS, "dmarc-pass", "DMARC passed for %s.",
			analysis->from.domains[0]);
		break;
	case EDS_DMARC_FAIL:
		advise_fail(list, analysis);
		break;
	case EDS_DMARC_NONE:
		if (analysis->from.state == EDS_FROM_ONE)
			advise_none(list, analysis);
		break;
	case EDS_DMARC_TEMPERROR:
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-temperror",
			"DMARC could not be decided: %s%s", dmarc->reason,
			analysis->client.is_public ? ADVICE_LATER : "");
		break;
	case EDS_DMARC_PERMERROR:
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-permerror",
			"DMARC cannot be applied: %s Send with exactly one domain in From.",
			dmarc->reason);
		break;
	}
	advise_policy(list, dmarc);
	advise_warnings(list, dmarc);
}
