/* The verdict on one message (RFC 9989 sections 4.4 and 4.10). */
#include <string.h>

#include "functions/lib/dmarc/discover.h"

/* What is known of one identifier, or of all of them: the best of them counts. */
enum alignment {
	UNALIGNED,
	UNDECIDED, /* a lookup failed, or the signature was not checked: it might be aligned */
	ALIGNED,
};

struct judge {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	const char *author; /* the From domain */
	struct eds_dmarc_walk walk;
	const struct eds_dmarc_record *record; /* that applies */
	struct eds_dmarc_result *result;
};

const char *eds_dmarc_code_name(enum eds_dmarc_code code)
{
	static const char *const names[] = {"none", "pass", "fail", "temperror", "permerror"};

	return names[code];
}

const char *eds_dmarc_policy_name(enum eds_dmarc_policy policy)
{
	static const char *const names[] = {"none", "quarantine", "reject"};

	return names[policy];
}

static bool is_within(const char *domain, const char *above)
{
	size_t length = strlen(domain);
	size_t suffix = strlen(above);

	return length >= suffix && strcmp(domain + length - suffix, above) == 0 &&
		(length == suffix || domain[length - suffix - 1] == '.');
}

/* A lookup that failed above the record of the organisation does not matter where another walk
 * found the same record: from there on both are one. */
static bool is_settled(const struct eds_dmarc_walk *walk)
{
	return walk->failed == NULL ||
		(eds_dmarc_walk_find(walk, walk->org_domain) &&
			is_within(walk->org_domain, walk->failed));
}

/* Without a label in common no walk can find one organisational domain for both. */
static bool share_top(const char *one, const char *other)
{
	const char *top_of_one = strrchr(one, '.');
	const char *top_of_other = strrchr(other, '.');

	return strcmp(top_of_one ? top_of_one + 1 : one, top_of_other ? top_of_other + 1 : other) ==
		0;
}

/* Relaxed alignment: one organisational domain (section 4.10.2). A domain outside that of From
 * cannot have it, so no walk is spent on it. */
static enum alignment align_relaxed(const struct judge *judge, const char *domain)
{
	const struct eds_dmarc_walk *author = &judge->walk;
	enum alignment otherwise = author->failed ? UNDECIDED : UNALIGNED;
	struct eds_dmarc_walk walk;

	if (!share_top(domain, judge->author))
		return UNALIGNED;
	if (!is_settled(author) || !is_within(domain, author->org_domain))
		return otherwise;
	eds_dmarc_walk(judge->ctx, judge->dns, domain, &walk);
	if (!is_settled(&walk))
		return UNDECIDED;
	return strcmp(walk.org_domain, author->org_domain) == 0 ? ALIGNED : otherwise;
}

static enum alignment align(const struct judge *judge, const char *given, bool strict)
{
	const char *domain = eds_domain_normalize(judge->ctx, given, strlen(given));

	if (domain == NULL)
		return UNALIGNED;
	if (strcmp(domain, judge->author) == 0)
		return ALIGNED;
	return strict ? UNALIGNED : align_relaxed(judge, domain);
}

/* What cannot be verified now can at best be undecided. */
static enum alignment at_most(enum alignment alignment, enum alignment limit)
{
	return alignment < limit ? alignment : limit;
}

static enum alignment judge_spf(const struct judge *judge, const struct eds_spf_result *spf)
{
	bool strict = judge->record->strict_spf;

	if (spf->code == EDS_SPF_PASS)
		return align(judge, spf->domain, strict);
	if (spf->code == EDS_SPF_TEMPERROR)
		return at_most(align(judge, spf->domain, strict), UNDECIDED);
	return UNALIGNED;
}

static enum alignment judge_signature(
	const struct judge *judge, const struct eds_dkim_signature *signature)
{
	bool strict = judge->record->strict_dkim;

	if (signature->state == EDS_DKIM_VALID)
		return align(judge, signature->domain, strict);
	if (signature->state == EDS_DKIM_TEMPORARY || signature->state == EDS_DKIM_UNCHECKED)
		return at_most(align(judge, signature->domain, strict), UNDECIDED);
	return UNALIGNED;
}

static enum alignment judge_dkim(const struct judge *judge, const struct eds_dkim_result *dkim)
{
	enum alignment best = UNALIGNED;

	if (*dkim->failure && dkim->total > dkim->count)
		best = UNDECIDED; /* signatures of which not even d= is known */
	for (size_t i = 0; i < dkim->count && best != ALIGNED; i++) {
		enum alignment one = judge_signature(judge, &dkim->signatures[i]);

		best = one > best ? one : best;
	}
	return best;
}

static void settle(struct eds_dmarc_result *result, enum eds_dmarc_code code, const char *reason)
{
	result->code = code;
	result->reason = reason;
}

/* The record of the author domain, else of its organisational domain, else of the public suffix
 * above that (section 4.7). */
static const struct eds_dmarc_step *choose_record(
	const struct eds_dmarc_walk *walk, const char *author)
{
	const struct eds_dmarc_step *step = eds_dmarc_walk_find(walk, author);
	const struct eds_dmarc_step *top;

	if (step == NULL)
		step = eds_dmarc_walk_find(walk, walk->org_domain);
	if (step || walk->count == 0)
		return step;
	top = &walk->steps[walk->count - 1];
	return top->record.psd == EDS_DMARC_PSD_YES ? top : NULL;
}

static void warn_several(struct judge *judge)
{
	if (judge->walk.several)
		eds_finding_add(judge->ctx, &judge->result->warnings, "dmarc-several-records",
			"_dmarc.%s has several DMARC records, which count as none.",
			judge->walk.several);
}

static void take_record(struct judge *judge, const struct eds_dmarc_step *step)
{
	struct eds_dmarc_result *result = judge->result;

	judge->record = &step->record;
	result->has_record = step->kind == EDS_DMARC_TEXT_USABLE;
	result->record = step->text;
	result->record_domain = step->domain;
	for (size_t i = 0; i < step->record.warnings.count; i++)
		eds_finding_add(judge->ctx, &result->warnings, step->record.warnings.items[i].code,
			"%s", step->record.warnings.items[i].message);
}

/* False when there is nothing to judge by; the result says why. */
static bool find_record(struct judge *judge)
{
	struct eds_dmarc_result *result = judge->result;
	const struct eds_dmarc_step *step;

	eds_dmarc_walk(judge->ctx, judge->dns, judge->author, &judge->walk);
	result->org_domain = judge->walk.org_domain;
	warn_several(judge);
	step = choose_record(&judge->walk, judge->author);
	/* The author's own record applies whatever the rest of the walk would have said. */
	if (judge->walk.failed && (step == NULL || strcmp(step->domain, judge->author) != 0)) {
		settle(result, EDS_DMARC_TEMPERROR,
			rt_printf(judge->ctx, "_dmarc.%s could not be looked up.",
				judge->walk.failed));
		return false;
	}
	if (step == NULL) {
		settle(result, EDS_DMARC_NONE, "No DMARC record applies to the From domain.");
		return false;
	}
	take_record(judge, step);
	if (!result->has_record)
		settle(result, EDS_DMARC_NONE,
			"The DMARC record has no valid policy and no rua=, so it has no effect.");
	return result->has_record;
}

/* Whether the author domain exists: not when A, AAAA and MX all answer "no such name". */
static enum eds_dns_state existence(const struct judge *judge)
{
	static const enum eds_dns_type types[] = {EDS_DNS_A, EDS_DNS_AAAA, EDS_DNS_MX};
	enum eds_dns_state state = EDS_DNS_NO_NAME;

	for (size_t i = 0; i < 3; i++)
		eds_dns_start(judge->dns, judge->author, types[i]);
	for (size_t i = 0; i < 3; i++) {
		const struct eds_dns_answer *answer = eds_dns_get(
			judge->dns, judge->author, types[i]);

		if (answer->state == EDS_DNS_FOUND || answer->state == EDS_DNS_NO_DATA)
			return EDS_DNS_FOUND;
		if (answer->state == EDS_DNS_TEMPORARY)
			state = EDS_DNS_TEMPORARY;
	}
	return state;
}

/* t=y asks for one step less (section 4.7). */
static enum eds_dmarc_policy lowered(enum eds_dmarc_policy policy)
{
	return policy == EDS_DMARC_P_REJECT ? EDS_DMARC_P_QUARANTINE : EDS_DMARC_P_NONE;
}

static void set_policy(struct judge *judge, const char *tag, enum eds_dmarc_policy policy)
{
	judge->result->applied = tag;
	judge->result->policy = judge->record->testing ? lowered(policy) : policy;
}

/* Section 4.10.1. False when it hangs on a lookup that failed; then sp stands. */
static bool choose_policy(struct judge *judge)
{
	const struct eds_dmarc_record *record = judge->record;
	enum eds_dns_state state = EDS_DNS_FOUND;

	if (strcmp(judge->result->record_domain, judge->author) == 0) {
		set_policy(judge, "p", record->p);
		return true;
	}
	if (record->has_np)
		state = existence(judge);
	if (state == EDS_DNS_NO_NAME)
		set_policy(judge, "np", record->np);
	else
		set_policy(judge, record->has_sp ? "sp" : "p", record->sp);
	return state != EDS_DNS_TEMPORARY || record->np == record->sp;
}

/* The walk of an identifier that will be needed. */
static void ask_ahead(const struct judge *judge, const char *given, bool strict)
{
	const char *domain = eds_domain_normalize(judge->ctx, given, strlen(given));

	if (domain && !strict && strcmp(domain, judge->author) != 0 &&
		is_within(domain, judge->walk.org_domain))
		eds_dmarc_prefetch(judge->ctx, judge->dns, domain);
}

/* All identifiers' walks at once, so that many signatures cost one round trip. */
static void ask_all_ahead(const struct judge *judge, const struct eds_spf_result *spf,
	const struct eds_dkim_result *dkim)
{
	if (spf->code == EDS_SPF_PASS)
		ask_ahead(judge, spf->domain, judge->record->strict_spf);
	for (size_t i = 0; i < dkim->count; i++)
		if (dkim->signatures[i].state == EDS_DKIM_VALID)
			ask_ahead(judge, dkim->signatures[i].domain, judge->record->strict_dkim);
}

static const char *pass_reason(enum alignment spf, enum alignment dkim)
{
	if (spf == ALIGNED && dkim == ALIGNED)
		return "SPF and DKIM passed for domains aligned with the From domain.";
	if (spf == ALIGNED)
		return "SPF passed for a domain aligned with the From domain.";
	return "A valid DKIM signature is aligned with the From domain.";
}

static void judge_message(struct judge *judge, const struct eds_spf_result *spf_result,
	const struct eds_dkim_result *dkim_result)
{
	enum alignment spf = judge_spf(judge, spf_result);
	enum alignment dkim = judge_dkim(judge, dkim_result);
	bool policy_known = choose_policy(judge);

	judge->result->spf_aligned = spf == ALIGNED;
	judge->result->dkim_aligned = dkim == ALIGNED;
	if (spf == ALIGNED || dkim == ALIGNED)
		settle(judge->result, EDS_DMARC_PASS, pass_reason(spf, dkim));
	else if (spf == UNDECIDED || dkim == UNDECIDED)
		settle(judge->result, EDS_DMARC_TEMPERROR,
			"Nothing aligned has passed, and not everything could be checked now.");
	else if (!policy_known)
		settle(judge->result, EDS_DMARC_TEMPERROR,
			"Whether the From domain exists could not be looked up.");
	else
		settle(judge->result, EDS_DMARC_FAIL,
			"Neither SPF nor a valid DKIM signature is aligned with the From domain.");
}

void eds_dmarc_evaluate(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_from *from,
	const struct eds_spf_result *spf, const struct eds_dkim_result *dkim,
	struct eds_dmarc_result *result)
{
	struct judge judge = {.ctx = ctx, .dns = dns, .result = result};

	*result = (struct eds_dmarc_result){
		.record = "", .record_domain = "", .org_domain = "", .applied = "", .reason = ""};
	if (from->state != EDS_FROM_ONE) {
		settle(result, EDS_DMARC_PERMERROR, from->reason);
		return;
	}
	judge.author = from->domains[0];
	if (!find_record(&judge))
		return;
	ask_all_ahead(&judge, spf, dkim);
	judge_message(&judge, spf, dkim);
}
