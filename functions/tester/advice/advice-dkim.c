
#include "functions/tester/advice/advice-dkim.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/tester/advice/advice.h"
#include "functions/tester/requirements/widely-verified.h"

static const char *first_error(const struct eds_dkim_signature *signature)
{
	return signature->errors.count > 0 ? signature->errors.items[0].message
					   : "it does not verify";
}

static bool key_is_the_cause(const struct eds_dkim_signature *signature)
{
	enum eds_key_state state = signature->key_state;

	return state == EDS_KEY_MISSING || state == EDS_KEY_REVOKED || state == EDS_KEY_INVALID;
}

/* The record of the signature's key, without a value: only the signer knows the key. */
static struct advice_record key_record(
	struct rt_ctx *ctx, const struct eds_dkim_signature *signature)
{
	return (struct advice_record){
		.name = rt_printf(ctx, "%s._domainkey.%s", signature->selector, signature->domain),
		.type = "TXT",
	};
}

/* True if the reader of the advice, the sender, can change the DNS records of the signature.
 * Also true if From does not have exactly one domain, because then this is not known. */
static bool is_senders(const struct analysis *analysis, const struct eds_dkim_signature *signature)
{
	return analysis->from.state != EDS_FROM_ONE ||
		eds_dmarc_is_own(&analysis->dmarc, analysis->from.domains[0], signature->domain);
}

static void advise_broken(struct advice_list *list, const struct analysis *analysis,
	const struct eds_dkim_signature *signature, enum advice_severity severity,
	enum tester_rule rule, const char *code)
{
	bool senders = is_senders(analysis, signature);
	struct advice *item = advice_add(list, severity, rule, code,
		"The DKIM signature of %s (selector %s) is not valid: %s%s",
		signature->domain[0] != '\0' ? signature->domain : "an unreadable domain",
		signature->selector[0] != '\0' ? signature->selector : "unreadable",
		first_error(signature),
		senders ? ""
			: " The From address is of another domain. If the domain of the "
			  "signature is not yours, tell the provider that signs with it.");

	if (senders && key_is_the_cause(signature) && signature->domain[0] != '\0')
		item->record = key_record(list->ctx, signature);
}

static void advise_warnings(struct advice_list *list, const struct eds_dkim_signature *signature)
{
	for (size_t i = 0; i < signature->warnings.count; i++)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, signature->warnings.items[i].code,
			"DKIM of %s (selector %s): %s", signature->domain, signature->selector,
			signature->warnings.items[i].message);
}

static void advise_signature(struct advice_list *list, const struct analysis *analysis,
	const struct eds_dkim_signature *signature)
{
	switch (signature->state) {
	case EDS_DKIM_VALID:
		advice_add(list, ADVICE_GOOD, DKIM_VALID, "dkim-valid",
			"The DKIM signature of %s (selector %s) is valid.", signature->domain,
			signature->selector);
		break;
	case EDS_DKIM_INVALID:
		advise_broken(
			list, analysis, signature, ADVICE_ACTION, DKIM_INVALID, "dkim-invalid");
		break;
	case EDS_DKIM_TESTING:
		advise_broken(
			list, analysis, signature, ADVICE_NOTE, TESTER_NO_RULE, "dkim-testing");
		break;
	case EDS_DKIM_TEMPORARY:
	case EDS_DKIM_UNCHECKED:
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dkim-unchecked",
			"The DKIM signature of %s (selector %s) could not be checked: %s%s",
			signature->domain, signature->selector, first_error(signature),
			signature->state == EDS_DKIM_TEMPORARY ? ADVICE_LATER : "");
		break;
	}
}

/* True if there is, or may be, a valid signature that receivers without Ed25519 can verify. */
static bool has_other_than_ed25519(const struct eds_dkim_result *dkim)
{
	for (size_t i = 0; i < dkim->count; i++) {
		const struct eds_dkim_signature *one = &dkim->signatures[i];

		if (one->state != EDS_DKIM_INVALID && one->state != EDS_DKIM_TESTING &&
			(one->state != EDS_DKIM_VALID || one->key_type != EDS_KEY_ED25519))
			return true;
	}
	return dkim->total != dkim->count;
}

/* Advises on a valid Ed25519 signature if no other signature is or may be valid, or if DMARC passes
 * by Ed25519 alone: receivers that verify only RSA ignore it (RFC 6376 section 3.3.4). */
static void advise_ed25519(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dkim_result *dkim = &analysis->dkim;
	const struct eds_dkim_signature *valid = valid_ed25519(dkim);
	bool alone = passes_by_ed25519_alone(analysis);
	bool refused = alone && eds_finding_has(&analysis->outlook.refused, "policy");

	if (valid == NULL || (!alone && has_other_than_ed25519(dkim)))
		return;
	advice_add(list, refused ? ADVICE_URGENT : ADVICE_ACTION, TESTER_NO_RULE,
		"dkim-ed25519-alone",
		"The valid signature of %s uses Ed25519, which Gmail and other large receivers do "
		"not verify: to them the message is not signed%s. Let the server sign it with an "
		"RSA key of 2048 bits as well.",
		valid->domain, alone ? " by the From domain, and DMARC fails" : "");
}

/* Advises on a valid signature of another domain. DMARC then depends on SPF alone, which fails when
 * a mailbox forwards the message. */
static void advise_foreign(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dkim_signature *valid = widely_valid(&analysis->dkim);
	const char *from = analysis->from.state == EDS_FROM_ONE ? analysis->from.domains[0] : NULL;

	if (valid == NULL || from == NULL || analysis->dmarc.code == EDS_DMARC_FAIL)
		return;
	for (size_t i = 0; i < analysis->dkim.count; i++)
		if (eds_dmarc_is_own(&analysis->dmarc, from, analysis->dkim.signatures[i].domain))
			return;
	advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dkim-foreign",
		"The valid signature is of %s, not of the From domain %s. For DMARC only SPF "
		"counts then, which fails when a mailbox forwards the message. Set up %s as a "
		"signing domain with the provider, and publish the DKIM records that it then "
		"gives you.",
		valid->domain, from, from);
}

void advice_dkim(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dkim_result *dkim = &analysis->dkim;

	for (size_t i = 0; i < dkim->count; i++)
		advise_signature(list, analysis, &dkim->signatures[i]);
	advise_ed25519(list, analysis);
	advise_foreign(list, analysis);
	if (dkim->failure[0] != '\0')
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dkim-unchecked",
			"DKIM signatures could not be evaluated: %s", dkim->failure);
	else if (dkim->total == 0 && analysis->headers.limit[0] == '\0')
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dkim-missing",
			"The message carries no DKIM signature. Let the sending server sign it "
			"with the domain of the From address.");
	else if (dkim->total > dkim->count)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dkim-too-many",
			"The message carries %zu DKIM signatures; only the first %zu were checked. Let "
			"each server on its way sign once at most.",
			dkim->total, dkim->count);
	for (size_t i = 0; i < dkim->count; i++)
		advise_warnings(list, &dkim->signatures[i]);
}
