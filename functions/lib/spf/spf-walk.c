#include "functions/lib/spf/spf-walk.h"
#include "functions/lib/spf/spf-errors.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/dns/shown-text.h"
#include "functions/lib/spf/spf-record.h"

enum {
	DEPTH_MAX = 12,    /* maximum depth of nested includes and redirects; an evaluation, which
			    * may make EDS_SPF_TERMS_MAX lookups, goes less deep */
	MX_NAMES_MAX = 10, /* maximum number of mail servers of one mx term (section 4.6.4) */
};

struct walker {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	struct eds_spf_walk *walk;
};

static void walk_domain(
	struct walker *walker, const char *domain, enum eds_spf_via via, unsigned depth);

/* Keeps the first error, since later ones may follow from it. */
static void fail(struct walker *walker, const char *code, const char *reason)
{
	if (walker->walk->error[0] != '\0')
		return;
	walker->walk->error = code;
	walker->walk->reason = reason;
}

static const struct eds_dns_answer *ask(
	struct walker *walker, const char *name, enum eds_dns_type type)
{
	const struct eds_dns_answer *answer = eds_dns_get(walker->dns, name, type);

	if (answer->state == EDS_DNS_TEMPORARY && walker->walk->failed == NULL)
		walker->walk->failed = answer->name;
	return answer;
}

static bool is_void(const struct eds_dns_answer *answer)
{
	return answer->state == EDS_DNS_NO_NAME || answer->state == EDS_DNS_NO_DATA;
}

static void note_void(struct walker *walker, const char *domain, const struct eds_spf_term *term)
{
	struct eds_spf_walk *walk = walker->walk;

	if (walk->void_count < EDS_SPF_WALK_VOIDS_MAX)
		walk->voids[walk->void_count++] = (struct eds_spf_void){domain, term->text};
}

static bool count_lookup(struct walker *walker)
{
	if (walker->walk->lookups == EDS_SPF_WALK_TERMS_MAX) {
		walker->walk->cut = true;
		return false;
	}
	walker->walk->lookups++;
	return true;
}

/* Counts a void lookup when a name has no address. An address of either family is enough, since the
 * family of the sender's address decides which type receivers ask for. */
static void look_up_address(struct walker *walker, const char *domain, const char *name,
	const struct eds_spf_term *term)
{
	if (is_void(ask(walker, name, EDS_DNS_A)) && is_void(ask(walker, name, EDS_DNS_AAAA)))
		note_void(walker, domain, term);
}

static void look_up(struct walker *walker, const char *domain, const struct eds_spf_term *term)
{
	const char *name = term->target[0] != '\0' ? term->target : domain;
	const struct eds_dns_answer *answer;

	if (term->macros)
		return;
	switch (term->kind) {
	case EDS_SPF_A:
		look_up_address(walker, domain, name, term);
		break;
	case EDS_SPF_EXISTS:
		if (is_void(ask(walker, name, EDS_DNS_A)))
			note_void(walker, domain, term);
		break;
	case EDS_SPF_MX:
		answer = ask(walker, name, EDS_DNS_MX);
		if (is_void(answer))
			note_void(walker, domain, term);
		else if (answer->count > MX_NAMES_MAX)
			fail(walker, "too-many-exchanges",
				rt_printf(walker->ctx,
					"%.100s in the record of %s leads to %zu mail servers; "
					"receivers allow %d (RFC 7208 section 4.6.4).",
					term->text, domain, answer->count, MX_NAMES_MAX));
		break;
	default:
		break;
	}
}

static void walk_term(
	struct walker *walker, const char *domain, const struct eds_spf_term *term, unsigned depth)
{
	if (!eds_spf_term_counts(term) || !count_lookup(walker))
		return;
	if (term->kind != EDS_SPF_INCLUDE && term->kind != EDS_SPF_REDIRECT)
		look_up(walker, domain, term);
	else if (!term->macros)
		walk_domain(walker, term->target,
			term->kind == EDS_SPF_INCLUDE ? EDS_SPF_VIA_INCLUDE : EDS_SPF_VIA_REDIRECT,
			depth + 1);
}

/* Walks the terms of a record. Terms after the term "all" are never evaluated, and "all" disables
 * redirect (section 6.1). */
static void walk_terms(struct walker *walker, const char *domain,
	const struct eds_spf_record *record, unsigned depth)
{
	const struct eds_spf_term *redirect = eds_spf_record_find(record, EDS_SPF_REDIRECT);

	for (size_t i = 0; i < record->count; i++) {
		if (record->terms[i].kind == EDS_SPF_ALL)
			return;
		if (&record->terms[i] != redirect)
			walk_term(walker, domain, &record->terms[i], depth);
	}
	if (redirect != NULL)
		walk_term(walker, domain, redirect, depth);
}

static const char *text_of(struct rt_ctx *ctx, const struct eds_dns_record *record)
{
	return eds_dns_shown_text(ctx, record->txt,
		record->txt_length < EDS_SPF_RECORD_MAX ? record->txt_length : EDS_SPF_RECORD_MAX);
}

static void read_record(struct walker *walker, const char *domain,
	const struct eds_dns_record *found, unsigned depth)
{
	struct eds_spf_record record;

	if (found->txt_length > EDS_SPF_RECORD_MAX)
		fail(walker, "record-too-long",
			rt_printf(walker->ctx, "The SPF record of %s has more than %d octets.",
				domain, EDS_SPF_RECORD_MAX));
	else if (!eds_spf_record_parse(walker->ctx, found->txt, found->txt_length, &record))
		fail(walker, "syntax",
			rt_printf(walker->ctx,
				"The SPF record of %s has a syntax error at \"%.100s\"%s.", domain,
				record.bad, eds_spf_mistake(record.bad)));
	else
		walk_terms(walker, domain, &record, depth);
}

static void without_record(struct walker *walker, const char *domain, enum eds_spf_via via)
{
	if (via == EDS_SPF_VIA_NONE)
		fail(walker, "no-record",
			rt_printf(walker->ctx, "%s publishes no SPF record.", domain));
	else
		fail(walker,
			via == EDS_SPF_VIA_INCLUDE ? "include-without-record"
						   : "redirect-without-record",
			rt_printf(walker->ctx,
				"The term %s names %s, which publishes no SPF record.",
				eds_spf_via_name(via), domain));
}

static void walk_domain(
	struct walker *walker, const char *domain, enum eds_spf_via via, unsigned depth)
{
	struct eds_spf_walk *walk = walker->walk;
	const struct eds_dns_answer *answer;
	const struct eds_dns_record *record = NULL;
	enum eds_spf_choice choice;

	if (walk->tree_count == EDS_SPF_TREE_MAX || depth > DEPTH_MAX) {
		walk->cut = true;
		return;
	}
	answer = ask(walker, domain, EDS_DNS_TXT);
	choice = eds_spf_choose(answer, &record);
	walk->tree[walk->tree_count++] = (struct eds_spf_node){.depth = depth,
		.via = via,
		.domain = answer->name,
		.record = choice == EDS_SPF_CHOICE_ONE ? text_of(walker->ctx, record) : ""};
	if (answer->state == EDS_DNS_TEMPORARY)
		return;
	if (choice == EDS_SPF_CHOICE_SEVERAL)
		fail(walker, "several-records",
			rt_printf(walker->ctx, "%s publishes more than one SPF record.", domain));
	else if (choice == EDS_SPF_CHOICE_NONE)
		without_record(walker, domain, via);
	else
		read_record(walker, answer->name, record, depth);
}

void eds_spf_walk(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_spf_walk *walk)
{
	struct walker walker = {.ctx = ctx, .dns = dns, .walk = walk};

	memset(walk, 0, sizeof *walk);
	walk->error = walk->reason = "";
	walk_domain(&walker, domain, EDS_SPF_VIA_NONE, 0);
}
