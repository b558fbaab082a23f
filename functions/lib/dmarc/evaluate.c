#include <string.h>

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/lib/dns/name.h"
#include "functions/lib/mail/domain.h"

struct judge {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	const char *author; /* the From domain */
	struct eds_dmarc_walk walk;
	const struct eds_dmarc_record
		*record; /* the applicable record; one without tags if none applies */
	struct eds_dmarc_result *result;
};

const char *eds_dmarc_code_name(enum eds_dmarc_code code)
{
	static const char *const names[] = {"none", "pass", "fail", "temperror", "permerror"};

	return names[code];
}

const char *eds_dmarc_tag_name(enum eds_dmarc_tag tag)
{
	static const char *const names[] = {
		[EDS_DMARC_TAG_NONE] = "",
		[EDS_DMARC_TAG_P] = "p",
		[EDS_DMARC_TAG_SP] = "sp",
		[EDS_DMARC_TAG_NP] = "np",
	};

	return names[tag];
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

/* True when no failed lookup can change the result of the comparison. Either no lookup failed, or
 * the organizational domain has a record and the failed name is above that domain. In the second
 * case the failure does not matter, as all walks ask the same names from that domain upwards. */
static bool is_settled(const struct eds_dmarc_walk *walk)
{
	return walk->failed == NULL ||
		(eds_dmarc_walk_find(walk, walk->org_domain) &&
			is_within(walk->org_domain, walk->failed));
}

/* True when both names end with the same label. Otherwise their walks cannot find the same
 * organizational domain. */
static bool share_top(const char *one, const char *other)
{
	const char *top_of_one = strrchr(one, '.');
	const char *top_of_other = strrchr(other, '.');

	return strcmp(top_of_one ? top_of_one + 1 : one, top_of_other ? top_of_other + 1 : other) ==
		0;
}

/* Relaxed alignment means the same organizational domain (section 4.10.2). A name that is not
 * within the From domain's organizational domain has another organizational domain; no walk from
 * this name is needed to know that. */
static enum eds_dmarc_alignment align_relaxed(const struct judge *judge, const char *domain)
{
	const struct eds_dmarc_walk *author = &judge->walk;
	enum eds_dmarc_alignment otherwise = author->failed ? EDS_DMARC_UNDECIDED
							    : EDS_DMARC_UNALIGNED;
	struct eds_dmarc_walk walk;

	if (!share_top(domain, judge->author))
		return EDS_DMARC_UNALIGNED;
	if (!is_settled(author) || !is_within(domain, author->org_domain))
		return otherwise;
	eds_dmarc_walk(judge->ctx, judge->dns, domain, &walk);
	if (!is_settled(&walk))
		return EDS_DMARC_UNDECIDED;
	return strcmp(walk.org_domain, author->org_domain) == 0 ? EDS_DMARC_ALIGNED : otherwise;
}

static enum eds_dmarc_alignment align(const struct judge *judge, const char *given, bool strict)
{
	const char *domain = eds_domain_normalize(judge->ctx, given, strlen(given));

	if (domain == NULL)
		return EDS_DMARC_UNALIGNED;
	if (strcmp(domain, judge->author) == 0)
		return EDS_DMARC_ALIGNED;
	return strict ? EDS_DMARC_UNALIGNED : align_relaxed(judge, domain);
}

/* The alignment, but no better than limit: an identifier that cannot be verified now is at best
 * undecided. */
static enum eds_dmarc_alignment at_most(
	enum eds_dmarc_alignment alignment, enum eds_dmarc_alignment limit)
{
	return alignment < limit ? alignment : limit;
}

/* Compares only the two names, not whether SPF or DKIM passed. Without a record the organizational
 * domain is unknown, so the alignment is undecided when one name lies below the other. */
static enum eds_dmarc_alignment align_names(
	const struct judge *judge, const char *given, bool strict)
{
	enum eds_dmarc_alignment names = align(judge, given, strict);
	const char *domain;

	if (names != EDS_DMARC_UNALIGNED || judge->result->has_record)
		return names;
	domain = eds_domain_normalize(judge->ctx, given, strlen(given));
	if (domain == NULL || strchr(domain, '.') == NULL || strchr(judge->author, '.') == NULL)
		return EDS_DMARC_UNALIGNED;
	return is_within(domain, judge->author) || is_within(judge->author, domain)
		? EDS_DMARC_UNDECIDED
		: EDS_DMARC_UNALIGNED;
}

static struct eds_dmarc_identifier identify(
	const struct judge *judge, const char *domain, bool passed, bool strict)
{
	struct eds_dmarc_identifier one = {.domain = domain,
		.strict = strict,
		.passed = passed,
		.names = align_names(judge, domain, strict)};

	one.strict_alone = strict && passed && one.names == EDS_DMARC_UNALIGNED &&
		align(judge, domain, false) == EDS_DMARC_ALIGNED;
	return one;
}

/* The alignment of an identifier whose check has passed, or could not be made because a lookup
 * failed. Sets awaits_dns when the alignment is undecided because of a failed lookup. A failed
 * lookup is not the only cause: without a record, the alignment is also undecided when one of the
 * two names lies below the other. */
static enum eds_dmarc_alignment align_now(
	const struct judge *judge, const struct eds_dmarc_identifier *one)
{
	enum eds_dmarc_alignment alignment = one->names;

	if (!one->passed)
		alignment = at_most(alignment, EDS_DMARC_UNDECIDED);
	if (alignment == EDS_DMARC_UNDECIDED &&
		(!one->passed || judge->result->has_record || judge->walk.failed != NULL))
		judge->result->awaits_dns = true;
	return alignment;
}

static enum eds_dmarc_alignment judge_spf(
	const struct judge *judge, const struct eds_spf_result *spf)
{
	struct eds_dmarc_identifier *one = &judge->result->spf;

	*one = identify(judge, spf->domain, spf->code == EDS_SPF_PASS, judge->record->strict_spf);
	if (!one->passed && spf->unjudged)
		return EDS_DMARC_UNDECIDED;
	return one->passed || spf->code == EDS_SPF_TEMPERROR ? align_now(judge, one)
							     : EDS_DMARC_UNALIGNED;
}

static enum eds_dmarc_alignment judge_signature(const struct judge *judge,
	const struct eds_dkim_signature *signature, struct eds_dmarc_identifier *one)
{
	*one = identify(judge, signature->domain, signature->state == EDS_DKIM_VALID,
		judge->record->strict_dkim);
	if (signature->state == EDS_DKIM_UNCHECKED)
		return at_most(one->names, EDS_DMARC_UNDECIDED);
	return one->passed || signature->state == EDS_DKIM_TEMPORARY ? align_now(judge, one)
								     : EDS_DMARC_UNALIGNED;
}

/* True when `one` is a better signature to show than `shown`. A better alignment comes first. With
 * equal alignment a valid signature is better, then one that only strict mode keeps from being
 * aligned; otherwise the first signature stays. */
static bool is_better(enum eds_dmarc_alignment alignment, enum eds_dmarc_alignment best,
	const struct eds_dmarc_identifier *one, const struct eds_dmarc_identifier *shown)
{
	if (alignment != best)
		return alignment > best;
	return shown->domain[0] == '\0' || (one->passed && !shown->passed) ||
		(one->strict_alone && !shown->strict_alone);
}

static enum eds_dmarc_alignment judge_dkim(
	const struct judge *judge, const struct eds_dkim_result *dkim)
{
	enum eds_dmarc_alignment best = EDS_DMARC_UNALIGNED;
	struct eds_dmarc_identifier *shown = &judge->result->dkim;

	shown->strict = judge->record->strict_dkim;
	if (*dkim->failure && dkim->total > dkim->count)
		best = EDS_DMARC_UNDECIDED; /* not even d= of the signatures is known */
	for (size_t i = 0; i < dkim->count && best != EDS_DMARC_ALIGNED; i++) {
		struct eds_dmarc_identifier one;
		enum eds_dmarc_alignment alignment = judge_signature(
			judge, &dkim->signatures[i], &one);

		if (is_better(alignment, best, &one, shown))
			*shown = one;
		best = alignment > best ? alignment : best;
	}
	return best;
}

static void settle(struct eds_dmarc_result *result, enum eds_dmarc_code code, const char *reason)
{
	result->code = code;
	result->reason = reason;
}

static void warn_several(struct judge *judge)
{
	if (judge->walk.several)
		eds_finding_add(judge->ctx, &judge->result->warnings, "dmarc-several-records",
			"_dmarc.%s has several DMARC records, so receivers ignore all of them.",
			judge->walk.several);
}

static void note_suffix(const struct judge *judge)
{
	const struct eds_dmarc_walk *walk = &judge->walk;
	const struct eds_dmarc_step *top = walk->count > 0 ? &walk->steps[walk->count - 1] : NULL;

	if (top == NULL || top->record.psd != EDS_DMARC_PSD_YES)
		return;
	judge->result->suffix = top->domain;
	judge->result->suffix_record = top->exact ? top->text : NULL;
}

static void take_record(struct judge *judge, const struct eds_dmarc_step *step)
{
	struct eds_dmarc_result *result = judge->result;

	judge->record = &step->record;
	result->tags = step->record;
	result->has_record = step->kind == EDS_DMARC_TEXT_USABLE;
	result->record = step->text;
	result->record_exact = step->exact;
	result->record_domain = step->domain;
	for (size_t i = 0; i < step->record.warnings.count; i++)
		eds_finding_add(judge->ctx, &result->warnings, step->record.warnings.items[i].code,
			"%s", step->record.warnings.items[i].message);
}

/* Finds the applicable record; without one, sets the result with the reason. */
static void find_record(struct judge *judge)
{
	struct eds_dmarc_result *result = judge->result;
	const struct eds_dmarc_step *step;

	eds_dmarc_walk(judge->ctx, judge->dns, judge->author, &judge->walk);
	result->org_domain = judge->walk.org_domain;
	warn_several(judge);
	note_suffix(judge);
	step = eds_dmarc_walk_choose(&judge->walk, judge->author);
	/* The author domain's own record applies, whatever the rest of the walk finds. */
	if (judge->walk.failed && (step == NULL || strcmp(step->domain, judge->author) != 0)) {
		settle(result, EDS_DMARC_TEMPERROR,
			rt_printf(judge->ctx, "_dmarc.%s could not be looked up.",
				judge->walk.failed));
		return;
	}
	if (step == NULL) {
		result->misspelt = eds_dmarc_misspelt(judge->ctx, judge->dns, judge->author);
		settle(result, EDS_DMARC_NONE, "No DMARC record applies to the From domain.");
		return;
	}
	take_record(judge, step);
	if (!result->has_record)
		settle(result, EDS_DMARC_NONE,
			"The DMARC record has no valid policy and no rua=, so it has no effect.");
}

/* Checks whether the author domain exists: it does not when A, AAAA and MX all answer "no such
 * name". */
static enum eds_dns_state existence(struct eds_dns *dns, const char *author)
{
	static const enum eds_dns_type types[] = {EDS_DNS_A, EDS_DNS_AAAA, EDS_DNS_MX};
	enum eds_dns_state state = EDS_DNS_NO_NAME;

	for (size_t i = 0; i < 3; i++)
		eds_dns_start(dns, author, types[i]);
	for (size_t i = 0; i < 3; i++) {
		const struct eds_dns_answer *answer = eds_dns_get(dns, author, types[i]);

		if (answer->state == EDS_DNS_FOUND || answer->state == EDS_DNS_NO_DATA)
			return EDS_DNS_FOUND;
		if (answer->state == EDS_DNS_TEMPORARY)
			state = EDS_DNS_TEMPORARY;
	}
	return state;
}

/* t=y lowers the policy by one step (section 4.7). */
static enum eds_dmarc_policy lowered(enum eds_dmarc_policy policy)
{
	return policy == EDS_DMARC_P_REJECT ? EDS_DMARC_P_QUARANTINE : EDS_DMARC_P_NONE;
}

static void set_policy(struct judge *judge, enum eds_dmarc_tag tag, enum eds_dmarc_policy policy)
{
	judge->result->applied = tag;
	judge->result->published = policy;
	judge->result->policy = judge->record->testing ? lowered(policy) : policy;
}

/* Chooses p, sp or np (section 4.10.1). Returns false when the choice depends on a failed lookup;
 * it has then chosen sp, or p if sp= is absent. */
static bool choose_policy(struct judge *judge)
{
	const struct eds_dmarc_record *record = judge->record;
	enum eds_dns_state state = EDS_DNS_FOUND;

	if (strcmp(judge->result->record_domain, judge->author) == 0) {
		set_policy(judge, EDS_DMARC_TAG_P, record->p);
		return true;
	}
	if (record->has_np)
		state = existence(judge->dns, judge->author);
	if (state == EDS_DNS_NO_NAME)
		set_policy(judge, EDS_DMARC_TAG_NP, record->np);
	else
		set_policy(judge, record->has_sp ? EDS_DMARC_TAG_SP : EDS_DMARC_TAG_P, record->sp);
	return state != EDS_DNS_TEMPORARY || record->np == record->sp;
}

/* Sends the questions of an identifier's walk, if that walk may be needed, and does not wait. */
static void ask_ahead(const struct judge *judge, const char *given)
{
	const char *domain = eds_domain_normalize(judge->ctx, given, strlen(given));

	if (domain && strcmp(domain, judge->author) != 0 &&
		is_within(domain, judge->walk.org_domain))
		eds_dmarc_prefetch(judge->ctx, judge->dns, domain);
}

/* Starts, all together, the walks of the identifiers that passed, so that many signatures cost one
 * round trip. */
static void ask_all_ahead(const struct judge *judge, const struct eds_spf_result *spf,
	const struct eds_dkim_result *dkim)
{
	if (spf->code == EDS_SPF_PASS)
		ask_ahead(judge, spf->domain);
	for (size_t i = 0; i < dkim->count; i++)
		if (dkim->signatures[i].state == EDS_DKIM_VALID)
			ask_ahead(judge, dkim->signatures[i].domain);
}

static const char *pass_reason(enum eds_dmarc_alignment spf, enum eds_dmarc_alignment dkim)
{
	if (spf == EDS_DMARC_ALIGNED && dkim == EDS_DMARC_ALIGNED)
		return "SPF and DKIM passed for domains aligned with the From domain.";
	if (spf == EDS_DMARC_ALIGNED)
		return "SPF passed for a domain aligned with the From domain.";
	return "A valid DKIM signature is aligned with the From domain.";
}

static void judge_message(struct judge *judge, const struct eds_spf_result *spf_result,
	const struct eds_dkim_result *dkim_result)
{
	enum eds_dmarc_alignment spf = judge_spf(judge, spf_result);
	enum eds_dmarc_alignment dkim = judge_dkim(judge, dkim_result);
	bool policy_known = !judge->result->has_record || choose_policy(judge);
	bool unjudged = spf_result->unjudged;

	judge->result->spf_aligned = spf == EDS_DMARC_ALIGNED;
	judge->result->dkim_aligned = dkim == EDS_DMARC_ALIGNED;
	if (spf == EDS_DMARC_ALIGNED || dkim == EDS_DMARC_ALIGNED)
		judge->result->awaits_dns = !is_settled(&judge->walk);
	if (!judge->result->has_record)
		return; /* no record applies, so the result is already set */
	if (spf == EDS_DMARC_ALIGNED || dkim == EDS_DMARC_ALIGNED)
		settle(judge->result, EDS_DMARC_PASS, pass_reason(spf, dkim));
	else if (spf == EDS_DMARC_UNDECIDED || dkim == EDS_DMARC_UNDECIDED)
		settle(judge->result, EDS_DMARC_TEMPERROR,
			unjudged ? "No aligned signature is valid, and SPF could not be judged "
				   "without the public address that sent the message."
				 : "Neither SPF nor DKIM has passed for an aligned domain, and not "
				   "everything could be checked now.");
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
	static const struct eds_dmarc_record unpublished = {.percent = -1};
	struct judge judge = {.ctx = ctx, .dns = dns, .result = result, .record = &unpublished};

	*result = (struct eds_dmarc_result){.record = "",
		.record_domain = "",
		.org_domain = "",
		.reason = "",
		.spf.domain = "",
		.dkim.domain = ""};
	result->tags.percent = -1;
	if (from->state != EDS_FROM_ONE) {
		settle(result, EDS_DMARC_PERMERROR, from->reason);
		return;
	}
	judge.author = from->domains[0];
	find_record(&judge);
	ask_all_ahead(&judge, spf, dkim);
	judge_message(&judge, spf, dkim);
	result->lookup_failed = judge.walk.failed != NULL;
}

/* When DNS has already failed, three more questions would only cost time. */
void eds_dmarc_look_for_author(
	struct eds_dns *dns, const struct eds_from *from, struct eds_dmarc_result *result)
{
	if (from->state == EDS_FROM_ONE && result->code != EDS_DMARC_PASS && !result->lookup_failed)
		result->no_such_domain = existence(dns, from->domains[0]) == EDS_DNS_NO_NAME;
}

bool eds_dmarc_is_own(const struct eds_dmarc_result *result, const char *author, const char *domain)
{
	if (author == NULL || domain[0] == '\0')
		return false;
	if (result->has_record)
		return eds_dns_name_covers(result->org_domain, domain);
	return eds_dns_name_covers(author, domain) ||
		(strchr(domain, '.') != NULL && eds_dns_name_covers(domain, author));
}

bool eds_dmarc_is_of_suffix(const struct eds_dmarc_result *result)
{
	return result->suffix != NULL && strcmp(result->record_domain, result->suffix) == 0 &&
		strcmp(result->org_domain, result->suffix) != 0;
}
