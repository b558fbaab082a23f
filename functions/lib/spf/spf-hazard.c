#include "functions/lib/spf/spf-hazard.h"

#include <string.h>

#include "functions/lib/spf/spf-record.h"

enum { WIDE_PREFIX = 8 }; /* a network with this prefix has 1/256 of the address space */

struct search {
	eds_spf_hazard_found found;
	void *arg;
	const char *domain; /* domain that publishes the record */
	bool any;
};

static void tell(struct search *search, bool grave, const char *code, const char *where,
	const char *term, const char *advice)
{
	struct eds_spf_hazard hazard = {.code = code,
		.domain = search->domain,
		.where = where,
		.term = term,
		.advice = advice,
		.grave = grave};

	search->any = true;
	if (search->found != NULL)
		search->found(search->arg, &hazard);
}

static bool is_wide(const struct eds_spf_term *term)
{
	switch (term->kind) {
	case EDS_SPF_IP4:
	case EDS_SPF_IP6:
		return term->network.prefix <= WIDE_PREFIX;
	case EDS_SPF_A:
	case EDS_SPF_MX:
		return term->prefix4 <= WIDE_PREFIX || term->prefix6 <= WIDE_PREFIX;
	default:
		return false;
	}
}

static void check_all(struct search *search, const struct eds_spf_term *term)
{
	if (term->qualifier == '+')
		tell(search, true, "spf-allows-all", "ends with ", term->text,
			"Every server in the world passes, so a pass proves nothing. Name the "
			"servers that send the domain's mail and end with -all or ~all.");
	else if (term->qualifier == '?')
		tell(search, false, "spf-neutral-all", "ends with ", term->text,
			"The record says nothing about servers that it does not name. End it with "
			"~all, and later with -all.");
}

static void check_term(struct search *search, const struct eds_spf_term *term)
{
	if (term->kind == EDS_SPF_PTR)
		tell(search, false, "spf-ptr", "has the term ", term->text,
			"RFC 7208 section 5.5 advises against ptr: it is slow, and some "
			"receivers ignore it. Name the servers by ip4, ip6 or a.");
	else if (term->qualifier == '+' && is_wide(term))
		tell(search, true, "spf-wide-network", "has the term ", term->text,
			"The term lets a large part of the Internet pass. Name the servers that "
			"send the domain's mail.");
}

/* Reports the first term that the term "all" makes useless: a mechanism after "all", because
 * receivers stop there, or redirect= at any place (sections 5.1 and 6.1). exp= is useful at any
 * place. */
static void check_hidden(struct search *search, const struct eds_spf_record *record)
{
	const struct eds_spf_term *all = eds_spf_record_find(record, EDS_SPF_ALL);

	for (size_t i = 0; all != NULL && i < record->count; i++) {
		const struct eds_spf_term *term = &record->terms[i];

		if (term->kind != EDS_SPF_REDIRECT &&
			(term <= all || term->kind == EDS_SPF_EXP || term->kind == EDS_SPF_OTHER))
			continue;
		if (term->kind == EDS_SPF_REDIRECT)
			tell(search, false, "spf-after-all", "has the term ", term->text,
				"Beside the term all, redirect= has no effect. Remove one of the two.");
		else
			tell(search, false, "spf-after-all", "has, after the term all, the term ",
				term->text,
				"Receivers stop at the term all, so the terms after it have no effect. "
				"Put the term all at the end.");
		return;
	}
}

static void check_record(struct rt_ctx *ctx, struct search *search, const struct eds_spf_node *node)
{
	const struct eds_spf_term *all;
	struct eds_spf_record record;

	if (!eds_spf_record_parse(ctx, node->record, strlen(node->record), &record))
		return;
	for (size_t i = 0; i < record.count; i++)
		check_term(search, &record.terms[i]);
	check_hidden(search, &record);
	all = eds_spf_record_find(&record, EDS_SPF_ALL);
	/* The end of an included record does not matter (section 5.2), unless it is +all. */
	if (node->via == EDS_SPF_VIA_INCLUDE && (all == NULL || all->qualifier != '+'))
		return;
	if (all != NULL)
		check_all(search, all);
	else if (eds_spf_record_find(&record, EDS_SPF_REDIRECT) == NULL)
		tell(search, false, "spf-no-all", "ends without the term all", "",
			"The record says nothing about servers that it does not name. End it with "
			"~all, and later with -all.");
}

bool eds_spf_hazards(struct rt_ctx *ctx, const struct eds_spf_node *nodes, size_t count,
	eds_spf_hazard_found found, void *arg)
{
	struct search search = {.found = found, .arg = arg};

	for (size_t i = 0; i < count; i++) {
		search.domain = nodes[i].domain;
		check_record(ctx, &search, &nodes[i]);
	}
	return search.any;
}
