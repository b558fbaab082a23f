#include <stdio.h>
#include <string.h>

#include "functions/lib/dns/shown-text.h"
#include "functions/lib/spf/spf-check.h"
#include "functions/lib/spf/spf-errors.h"
#include "functions/lib/spf/spf-source.h"
#include "runtime/buffer.h"

static const char alias_suffix[] = ".spf.invalid"; /* suffix of private names; never a real
						    * domain (RFC 2606) */

/* The text of the record to show, cut at EDS_SPF_RECORD_MAX octets; "" for NULL. */
static const char *record_text(struct eds_spf_check *check, const struct eds_dns_record *record)
{
	if (record == NULL)
		return "";
	return eds_dns_shown_text(check->ctx, record->txt,
		record->txt_length < EDS_SPF_RECORD_MAX ? record->txt_length : EDS_SPF_RECORD_MAX);
}

static void note_in_tree(struct eds_spf_check *check, struct eds_spf_source *source,
	enum eds_spf_via via, const struct eds_dns_record *record)
{
	struct eds_spf_result *result = check->result;
	struct eds_spf_node node = {.depth = source->depth,
		.via = via,
		.domain = source->domain,
		.record = record_text(check, record)};

	source->node = result->tree_count;
	if (result->tree_count < EDS_SPF_TREE_MAX)
		result->tree[result->tree_count++] = node;
	if (via == EDS_SPF_VIA_NONE)
		result->record = node.record;
}

/* Ends the check because a record is missing. The result is none when the domain itself has no
 * record (section 4.5), and permerror when the target of an include or redirect has none
 * (sections 5.2, 6.1). */
static void stop_without_record(
	struct eds_spf_check *check, const char *domain, enum eds_spf_via via)
{
	if (via == EDS_SPF_VIA_NONE)
		eds_spf_stop(
			check, EDS_SPF_NONE, "no-record", "%s publishes no SPF record.", domain);
	else
		eds_spf_stop(check, EDS_SPF_PERMERROR,
			via == EDS_SPF_VIA_INCLUDE ? "include-without-record"
						   : "redirect-without-record",
			"The term %s names %s, which publishes no SPF record.",
			eds_spf_via_name(via), domain);
}

static void parse(struct eds_spf_check *check, struct eds_spf_source *source,
	const struct eds_dns_record *record)
{
	if (record->txt_length > EDS_SPF_RECORD_MAX)
		eds_spf_stop(check, EDS_SPF_PERMERROR, "record-too-long",
			"The SPF record of %s has more than %d octets.", source->domain,
			EDS_SPF_RECORD_MAX);
	else if (!eds_spf_record_parse(
			 check->ctx, record->txt, record->txt_length, &source->record))
		eds_spf_stop(check, EDS_SPF_PERMERROR, "syntax",
			"The SPF record of %s has a syntax error at \"%s\"%s.", source->domain,
			source->record.bad, eds_spf_mistake(source->record.bad));
}

const struct eds_spf_source *eds_spf_read_source(struct eds_spf_check *check, const char *domain,
	enum eds_spf_via via, const struct eds_spf_source *parent)
{
	struct eds_spf_source *source = rt_alloc(check->ctx, sizeof *source);
	const struct eds_dns_answer *answer = eds_spf_ask_surely(check, domain, EDS_DNS_TXT);
	const struct eds_dns_record *record = NULL;
	enum eds_spf_choice choice;

	source->domain = domain;
	source->depth = parent != NULL ? parent->depth + 1 : 0;
	source->included = parent != NULL && (parent->included || via == EDS_SPF_VIA_INCLUDE);
	choice = answer != NULL ? eds_spf_choose(answer, &record) : EDS_SPF_CHOICE_NONE;
	note_in_tree(check, source, via, record);
	if (choice == EDS_SPF_CHOICE_SEVERAL)
		eds_spf_stop(check, EDS_SPF_PERMERROR, "several-records",
			"%s publishes more than one SPF record.", domain);
	else if (choice == EDS_SPF_CHOICE_NONE)
		stop_without_record(check, domain, via);
	else
		parse(check, source, record);
	if (!source->included)
		check->decider = source;
	return check->stopped ? NULL : source;
}

void eds_spf_question_add(struct eds_spf_check *check, const struct eds_spf_question *question,
	char alias[EDS_SPF_ALIAS_MAX])
{
	size_t number = check->question_count;

	alias[0] = '\0';
	if (number == EDS_SPF_QUESTIONS_MAX) { /* cannot happen, because other limits are reached
						* first */
		eds_spf_stop(check, EDS_SPF_PERMERROR, "too-many-lookups",
			"The evaluation asks too many questions.");
		return;
	}
	check->questions[check->question_count++] = *question;
	snprintf(alias, EDS_SPF_ALIAS_MAX, "%zu%s", number, alias_suffix);
}

const struct eds_spf_question *eds_spf_question_find(
	const struct eds_spf_check *check, const char *alias)
{
	size_t number = 0;
	size_t digits = strspn(alias, "0123456789");

	if (digits == 0 || digits > 4 || strcmp(alias + digits, alias_suffix) != 0)
		return NULL;
	for (size_t i = 0; i < digits; i++)
		number = number * 10 + (size_t)(alias[i] - '0');
	return number < check->question_count ? &check->questions[number] : NULL;
}

/* Writes an a or mx term as "a:7.spf.invalid/24", with the prefix length for the client's family
 * only. libspf2 rejects length 0, which any address matches, so such a term becomes an exists
 * term. */
static void add_address_term(struct eds_spf_check *check, const struct eds_spf_term *term,
	const char *alias, struct rt_buffer *out)
{
	bool ip4 = check->input->client.family == AF_INET;
	unsigned prefix = ip4 ? term->prefix4 : term->prefix6;

	if (prefix == 0)
		rt_buffer_format(out, "exists:%s", alias);
	else
		rt_buffer_format(out, "%s:%s%s%u", term->kind == EDS_SPF_A ? "a" : "mx", alias,
			ip4 ? "/" : "//", prefix);
}

static void add_term(struct eds_spf_check *check, const struct eds_spf_source *source,
	const struct eds_spf_term *term, struct rt_buffer *out)
{
	struct eds_spf_question question = {.source = source, .term = term};
	char alias[EDS_SPF_ALIAS_MAX];

	eds_spf_question_add(check, &question, alias);
	rt_buffer_format(out, " %c", term->qualifier);
	if (term->kind == EDS_SPF_INCLUDE)
		rt_buffer_format(out, "include:%s", alias);
	else if (term->kind == EDS_SPF_A || term->kind == EDS_SPF_MX)
		add_address_term(check, term, alias, out);
	else /* an exists or ptr term; we evaluate ptr ourselves */
		rt_buffer_format(out, "exists:%s", alias);
}

static void add_redirect(struct eds_spf_check *check, const struct eds_spf_source *source,
	const struct eds_spf_term *term, struct rt_buffer *out)
{
	struct eds_spf_question question = {.source = source, .term = term};
	char alias[EDS_SPF_ALIAS_MAX];

	eds_spf_question_add(check, &question, alias);
	rt_buffer_format(out, " redirect=%s", alias);
}

/* Ends the rewritten record with a term that matches without DNS. Adds a question before this term;
 * libspf2 asks it when the evaluation reaches this place. */
static void add_local_match(struct eds_spf_check *check, const struct eds_spf_source *source,
	const struct eds_spf_term *term, struct rt_buffer *out)
{
	struct eds_spf_question question = {.source = source, .term = term, .place = true};
	char alias[EDS_SPF_ALIAS_MAX];

	eds_spf_question_add(check, &question, alias);
	rt_buffer_format(out, " ?exists:%s %call", alias, term->qualifier);
}

/* Ends a rewritten record in which no term matches without DNS. Adds a question at the end of the
 * record; libspf2 asks it when none of the terms matched. */
static void add_end(
	struct eds_spf_check *check, const struct eds_spf_source *source, struct rt_buffer *out)
{
	struct eds_spf_question question = {.source = source, .place = true};
	char alias[EDS_SPF_ALIAS_MAX];

	eds_spf_question_add(check, &question, alias);
	rt_buffer_format(out, " ?exists:%s", alias);
}

static bool matches_locally(const struct eds_spf_check *check, const struct eds_spf_term *term)
{
	if (term->kind == EDS_SPF_ALL)
		return true;
	return (term->kind == EDS_SPF_IP4 || term->kind == EDS_SPF_IP6) &&
		rt_cidr_contains(&term->network, &check->input->client);
}

/* Evaluates the terms that need no DNS: leaves out those that do not match, and writes "all" in
 * place of the first that matches. This keeps the text short for any record, because libspf2 drops
 * everything beyond 511 compiled octets. Also leaves out the terms after the first term over the
 * limit, except redirect=. */
const char *eds_spf_rewrite(struct eds_spf_check *check, const struct eds_spf_source *source)
{
	const struct eds_spf_record *record = &source->record;
	const struct eds_spf_term *redirect = eds_spf_record_find(record, EDS_SPF_REDIRECT);
	struct rt_buffer out;
	unsigned asking = 0;

	rt_buffer_init(&out, check->ctx, EDS_SPF_REWRITTEN_MAX);
	rt_buffer_text(&out, "v=spf1");
	for (size_t i = 0; i < record->count && asking <= EDS_SPF_TERMS_MAX; i++) {
		const struct eds_spf_term *term = &record->terms[i];

		if (matches_locally(check, term)) {
			add_local_match(check, source, term, &out);
			return out.bytes;
		}
		if (!eds_spf_term_counts(term) || term == redirect)
			continue;
		add_term(check, source, term, &out);
		asking++;
	}
	if (asking <= EDS_SPF_TERMS_MAX)
		add_end(check, source, &out);
	if (redirect != NULL)
		add_redirect(check, source, redirect, &out);
	return out.bytes;
}
