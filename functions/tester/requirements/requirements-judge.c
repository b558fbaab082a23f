#include "functions/tester/requirements/requirements-judge.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/tester/requirements/requirements-form.h"
#include "functions/tester/requirements/widely-verified.h"

enum { KEY_BITS_MIN = 1024, KEY_BITS_GOOD = 2048 };

static struct demand met(const char *evidence)
{
	return (struct demand){.state = DEMAND_MET, .evidence = evidence};
}

static struct demand missed(const char *evidence, const char *advice)
{
	return (struct demand){.state = DEMAND_MISSED, .evidence = evidence, .advice = advice};
}

static struct demand undecided(const char *evidence)
{
	return (struct demand){.state = DEMAND_UNDECIDED,
		.evidence = evidence,
		.advice = "Analyze the message again later."};
}

/* A demand that is undecided because the client's address is not known; a second analysis would not
 * know the address either. */
static struct demand unseen(const char *evidence)
{
	return (struct demand){
		.state = DEMAND_UNDECIDED, .evidence = evidence, .advice = CLIENT_WAY_OUT};
}

static struct demand not_applicable(const char *evidence)
{
	return (struct demand){.state = DEMAND_NOT_APPLICABLE, .evidence = evidence};
}

/* True if a signature may still turn out valid: its check failed temporarily or was not made. */
static bool dkim_is_open(const struct eds_dkim_result *dkim)
{
	if (dkim->failure[0] != '\0' || dkim->total > dkim->count)
		return true;
	for (size_t i = 0; i < dkim->count; i++)
		if (dkim->signatures[i].state == EDS_DKIM_TEMPORARY ||
			dkim->signatures[i].state == EDS_DKIM_UNCHECKED)
			return true;
	return false;
}

static bool spf_is_open(const struct eds_spf_result *spf)
{
	return spf->unjudged || spf->code == EDS_SPF_TEMPERROR;
}

static struct demand open_because(const struct analysis *analysis, const char *evidence)
{
	return analysis->client.is_public ? undecided(evidence) : unseen(evidence);
}

static const char *spf_word(const struct eds_spf_result *spf)
{
	return spf->unjudged ? "unknown" : eds_spf_code_name(spf->code);
}

static const char not_verified[] = "valid, but Ed25519, which large receivers do not verify";

static const char *dkim_word(const struct eds_dkim_result *dkim)
{
	if (widely_valid(dkim) != NULL)
		return "valid";
	if (dkim_is_open(dkim))
		return "unknown";
	if (valid_ed25519(dkim) != NULL)
		return not_verified;
	return dkim->total == 0 ? "not there" : "not valid";
}

static const char *authentication_evidence(struct rt_ctx *ctx, const struct analysis *analysis)
{
	return rt_printf(ctx, "SPF for %.253s is %s; the DKIM signature is %s.",
		analysis->spf.domain[0] != '\0' ? analysis->spf.domain : "the sender",
		spf_word(&analysis->spf), dkim_word(&analysis->dkim));
}

/* The advice on authentication. If the mail was forwarded, the advice names no SPF record: a
 * forwarder's server does not belong in the author's record. */
static const char *way_to_authenticate(const struct analysis *analysis)
{
	if (analysis->headers.passed_on != NULL)
		return "A forwarder or mailing list passed the message on: let it use an envelope "
		       "sender of its own, and leave the message unchanged, so that the author's "
		       "DKIM signature stays valid.";
	return "Sign with DKIM under the domain of the From address, and name this server in the "
	       "SPF record of the envelope sender's domain.";
}

static struct demand judge_spf_or_dkim(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const char *evidence = authentication_evidence(ctx, analysis);

	if (analysis->spf.code == EDS_SPF_PASS || widely_valid(&analysis->dkim) != NULL)
		return met(evidence);
	if (dkim_is_open(&analysis->dkim) || analysis->spf.code == EDS_SPF_TEMPERROR)
		return undecided(evidence);
	if (analysis->spf.unjudged)
		return unseen(evidence);
	return missed(evidence, way_to_authenticate(analysis));
}

static struct demand judge_spf_and_dkim(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const char *evidence = authentication_evidence(ctx, analysis);
	bool spf = analysis->spf.code == EDS_SPF_PASS;
	bool dkim = widely_valid(&analysis->dkim) != NULL;

	if (spf && dkim)
		return met(evidence);
	if ((!spf && !spf_is_open(&analysis->spf)) || (!dkim && !dkim_is_open(&analysis->dkim)))
		return missed(evidence,
			"Let both pass: SPF for the envelope sender, and a DKIM "
			"signature.");
	return open_because(analysis, evidence);
}

/* The advice that leads to a usable record. It does not advise a second record beside an existing
 * one, since receivers would then ignore both. */
static const char *way_to_a_record(const struct eds_dmarc_result *dmarc)
{
	if (eds_finding_has(&dmarc->warnings, "dmarc-several-records"))
		return "Remove all DMARC records but the one that you mean.";
	if (dmarc->misspelt != NULL)
		return "Let the record begin with v=DMARC1 and a semicolon, with nothing before it.";
	if (dmarc->record[0] != '\0')
		return "Correct the record: let it say p=none, p=quarantine or p=reject.";
	return "Publish a DMARC record; p=none is enough to begin with.";
}

/* The demand is missed when only the record of a public suffix applies: receivers that know only
 * RFC 7489 do not look for a record there. */
static struct demand missed_below_suffix(struct rt_ctx *ctx, const struct eds_dmarc_result *dmarc)
{
	return missed(rt_printf(ctx,
			      "Only the record of the public suffix %s (psd=y) applies, and "
			      "receivers that know only the older RFC 7489 do not look for it.",
			      dmarc->record_domain),
		rt_printf(ctx, "Publish a DMARC record at %s itself, with p=%s.", dmarc->org_domain,
			eds_dmarc_policy_name(dmarc->published)));
}

/* Judges a demand on the From domain when From does not give one. A header that was not read to its
 * end may have a faultless From. */
static struct demand without_author_domain(struct rt_ctx *ctx, const struct analysis *analysis)
{
	if (!analysis->form.whole)
		return requirements_of_cut_header(analysis);
	return missed(rt_printf(ctx, "%s So no DMARC record can be chosen.", analysis->from.reason),
		"Send with one address in From.");
}

static struct demand judge_dmarc_record(
	struct rt_ctx *ctx, const struct analysis *analysis, bool with_rua)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;

	if (analysis->from.state != EDS_FROM_ONE)
		return without_author_domain(ctx, analysis);
	if (dmarc->has_record && eds_dmarc_is_of_suffix(dmarc))
		return missed_below_suffix(ctx, dmarc);
	if (dmarc->has_record && with_rua && !dmarc->tags.has_rua)
		return missed(rt_printf(ctx, "The record at _dmarc.%s has no valid rua= address.",
				      dmarc->record_domain),
			"Add rua= with the address of a mailbox that you read, or of a report service.");
	if (dmarc->has_record)
		return met(rt_printf(ctx, "_dmarc.%s has a record with p=%s.", dmarc->record_domain,
			eds_dmarc_policy_name(dmarc->tags.p)));
	if (dmarc->code == EDS_DMARC_TEMPERROR)
		return undecided(dmarc->reason);
	return missed(dmarc->reason, way_to_a_record(dmarc));
}

static const char *compared(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;

	return rt_printf(ctx, "From %s, SPF %.253s (%s), DKIM %.253s (%s).",
		analysis->from.domains[0],
		dmarc->spf.domain[0] != '\0' ? dmarc->spf.domain : "no domain",
		spf_word(&analysis->spf),
		dmarc->dkim.domain[0] != '\0' ? dmarc->dkim.domain : "no domain",
		passes_by_ed25519_alone(analysis) ? not_verified : dkim_word(&analysis->dkim));
}

static bool is_open(const struct eds_dmarc_identifier *one, bool mechanism_open)
{
	if (one->passed)
		return one->names == EDS_DMARC_UNDECIDED;
	return mechanism_open && one->names != EDS_DMARC_UNALIGNED;
}

/* The demand is undecided if there is no DMARC record: then nothing shows which domain above the
 * From domain is the organizational domain. */
static struct demand without_record(const char *evidence)
{
	return (struct demand){.state = DEMAND_UNDECIDED,
		.evidence = evidence,
		.advice =
			"Publish a DMARC record at the organization's domain: without one, nothing "
			"says which names below it belong together."};
}

static struct demand judge_alignment(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;
	bool open;

	if (analysis->from.state != EDS_FROM_ONE)
		return without_author_domain(ctx, analysis);
	if (passes_by_ed25519_alone(analysis) && !spf_is_open(&analysis->spf))
		return missed(compared(ctx, analysis),
			"Sign with an RSA key of 2048 bits as well, under the domain of From.");
	if ((dmarc->spf.passed && dmarc->spf.names == EDS_DMARC_ALIGNED) ||
		(dmarc->dkim.passed && dmarc->dkim.names == EDS_DMARC_ALIGNED))
		return met(compared(ctx, analysis));
	open = is_open(&dmarc->spf, spf_is_open(&analysis->spf)) || analysis->spf.unjudged ||
		is_open(&dmarc->dkim, dkim_is_open(&analysis->dkim)) ||
		(dmarc->dkim.domain[0] == '\0' && dkim_is_open(&analysis->dkim));
	if (open && dmarc->code == EDS_DMARC_NONE && !spf_is_open(&analysis->spf) &&
		!dkim_is_open(&analysis->dkim))
		return without_record(compared(ctx, analysis));
	if (open)
		return open_because(analysis, compared(ctx, analysis));
	return missed(compared(ctx, analysis),
		"Sign with the domain of From, or use an envelope sender under it.");
}

static struct demand judge_ptr(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct ptr_result *ptr = &analysis->ptr;

	if (!analysis->client.is_public)
		return unseen("The public address that sent the message is not known.");
	if (ptr->confirmed)
		return met(rt_printf(ctx, "%s resolves back to the sending address.", ptr->record));
	if (ptr->state == PTR_STATE_UNKNOWN)
		return undecided("A lookup of reverse DNS failed temporarily.");
	if (ptr->state == PTR_STATE_MISSING)
		return missed("The sending address has no PTR record.",
			"Ask the provider of the address for a PTR record with the mail host's "
			"own name.");
	return missed(
		rt_printf(ctx, "%s does not resolve back to the sending address.", ptr->record),
		"Let the reverse name and the address record of that name agree.");
}

static struct demand judge_tls(struct rt_ctx *ctx, const struct analysis *analysis)
{
	if (!analysis->client.is_public || analysis->client.tls_use == EDS_TLS_UNKNOWN)
		return (struct demand){.state = DEMAND_UNDECIDED,
			.evidence = "The connection that the sending server made was not seen.",
			.advice = analysis->client.is_public ? NULL : CLIENT_WAY_OUT};
	if (analysis->client.tls_use == EDS_TLS_USED)
		return met(
			rt_printf(ctx, "The message arrived over %.100s.", analysis->client.tls));
	return missed("The message arrived over a connection without TLS, though STARTTLS was "
		      "offered.",
		"Let the sending server use STARTTLS wherever it is offered.");
}

/* True if the demand is judged by the key of the signature `one`, not by that of `other`. A
 * signature of the From domain takes precedence: a foreign signature beside it neither helps nor
 * harms. Of two signatures that are both of the From domain or both foreign, the better one
 * decides, since receivers ignore a signature whose key is too short. */
static bool decides(const struct analysis *analysis, const struct eds_dkim_signature *one,
	const struct eds_dkim_signature *other)
{
	const char *from = analysis->from.state == EDS_FROM_ONE ? analysis->from.domains[0] : NULL;
	bool own = eds_dmarc_is_own(&analysis->dmarc, from, one->domain);
	bool valid = one->state == EDS_DKIM_VALID;

	if (other == NULL || own != eds_dmarc_is_own(&analysis->dmarc, from, other->domain))
		return other == NULL || own;
	if (valid != (other->state == EDS_DKIM_VALID))
		return valid;
	return one->key_bits > other->key_bits;
}

static const struct eds_dkim_signature *deciding_rsa(const struct analysis *analysis)
{
	const struct eds_dkim_signature *best = NULL;

	for (size_t i = 0; i < analysis->dkim.count; i++) {
		const struct eds_dkim_signature *one = &analysis->dkim.signatures[i];

		if (one->key_type == EDS_KEY_RSA && one->key_bits > 0 &&
			decides(analysis, one, best))
			best = one;
	}
	return best;
}

static struct demand judge_key(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_dkim_result *dkim = &analysis->dkim;
	const struct eds_dkim_signature *rsa = deciding_rsa(analysis);

	if (rsa != NULL && rsa->key_bits < KEY_BITS_MIN)
		return missed(rt_printf(ctx, "The RSA key of %.253s has %u bits.", rsa->domain,
				      rsa->key_bits),
			"Sign with an RSA key of 2048 bits.");
	if (rsa != NULL)
		return met(rt_printf(ctx, "The RSA key of %.253s has %u bits%s.", rsa->domain,
			rsa->key_bits, rsa->key_bits < KEY_BITS_GOOD ? "; 2048 are advised" : ""));
	if (dkim_is_open(dkim))
		return undecided("The key could not be fetched now.");
	if (valid_ed25519(dkim) != NULL)
		return missed(
			"The key of the valid signature is Ed25519, which large receivers do not "
			"verify.",
			"Sign with an RSA key of 2048 bits as well.");
	return not_applicable("No signature names a key that could be read.");
}

void requirements_judge(
	struct rt_ctx *ctx, const struct analysis *analysis, struct requirements *requirements)
{
	const struct demand each[REQUIREMENTS] = {
		[REQUIRE_SPF_OR_DKIM] = judge_spf_or_dkim(ctx, analysis),
		[REQUIRE_PTR] = judge_ptr(ctx, analysis),
		[REQUIRE_TLS] = judge_tls(ctx, analysis),
		[REQUIRE_FORM] = requirements_form(ctx, analysis),
		[REQUIRE_DKIM_KEY] = judge_key(ctx, analysis),
		[REQUIRE_SPF_AND_DKIM] = judge_spf_and_dkim(ctx, analysis),
		[REQUIRE_DMARC_RECORD] = judge_dmarc_record(ctx, analysis, false),
		[REQUIRE_ALIGNMENT] = judge_alignment(ctx, analysis),
		[REQUIRE_UNSUBSCRIBE] = requirements_one_click(analysis),
	};

	for (size_t i = 0; i < REQUIREMENTS; i++)
		for (size_t k = 0; k < PROVIDERS; k++)
			requirements->demands[i][k] = each[i];
	requirements->demands[REQUIRE_DMARC_RECORD][PROVIDER_YAHOO] = judge_dmarc_record(
		ctx, analysis, true);
	requirements->demands[REQUIRE_UNSUBSCRIBE][PROVIDER_GMAIL] = requirements_button(analysis);
	requirements->demands[REQUIRE_UNSUBSCRIBE][PROVIDER_MICROSOFT] = requirements_any_way(
		analysis);
}
