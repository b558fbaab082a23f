#include <stdlib.h>
#include <string.h>

#include "functions/lib/dns/name.h"
#include "functions/lib/spf/spf-answer.h"
#include "functions/lib/spf/spf-check.h"
#include "functions/lib/spf/spf-macro.h"
#include "functions/lib/spf/spf-source.h"

static void note_reached(struct eds_spf_check *check, const struct eds_spf_question *question)
{
	eds_spf_note_step(check, question);
	if (!question->source->included && question->term != NULL)
		check->reached = question->term;
}

/* Returns the answer for a term when DNS found records, and NULL otherwise. Counts a void lookup
 * when DNS answered that there are none. */
static const struct eds_dns_answer *ask_for_term(struct eds_spf_check *check,
	const struct eds_spf_question *question, enum eds_dns_type type)
{
	const char *name = eds_spf_target_name(check, question->source, question->term);
	const struct eds_dns_answer *answer;
	char possible[EDS_DNS_NAME_MAX + 1];

	/* Only a query counts as a void lookup (section 4.6.4), and a name that cannot exist causes
	 * no query. */
	if (name == NULL || !eds_dns_name_normalize(name, possible))
		return NULL;
	answer = eds_spf_ask_surely(check, name, type);
	if (answer == NULL || answer->state == EDS_DNS_FOUND)
		return answer;
	eds_spf_count_void(check, question);
	return NULL;
}

/* True for an a or mx term whose prefix length for the client's family is 0: any address of this
 * family matches it. eds_spf_rewrite() writes such a term as an exists term. */
static bool any_address_matches(const struct eds_spf_check *check, const struct eds_spf_term *term)
{
	return (check->input->client.family == AF_INET ? term->prefix4 : term->prefix6) == 0;
}

static void answer_a(struct eds_spf_check *check, const struct eds_spf_question *question,
	struct eds_spf_reply *reply)
{
	reply->addresses = ask_for_term(check, question, eds_spf_address_type(check));
	reply->match = reply->addresses != NULL && any_address_matches(check, question->term);
}

static void answer_host(struct eds_spf_check *check, const char *host, struct eds_spf_reply *reply)
{
	const struct eds_dns_answer *answer = eds_spf_ask_surely(
		check, host, eds_spf_address_type(check));

	if (answer != NULL && answer->state == EDS_DNS_FOUND)
		reply->addresses = answer;
}

/* Adds a mail server of an mx term, but not the root, which a null MX names (RFC 7505). */
static void add_exchange(struct eds_spf_check *check, const struct eds_spf_question *question,
	const char *host, struct eds_spf_reply *reply)
{
	struct eds_spf_question exchange = *question;
	struct eds_spf_reply addresses = {0};

	exchange.host = host;
	if (host[0] == '\0')
		return;
	if (any_address_matches(check, question->term)) {
		answer_host(check, host, &addresses);
		reply->match = reply->match || addresses.addresses != NULL;
	} else {
		eds_spf_question_add(check, &exchange, reply->exchanges[reply->exchange_count++]);
	}
}

static int compare_exchanges(const void *one, const void *other)
{
	const struct eds_dns_record *a = one;
	const struct eds_dns_record *b = other;

	if (a->preference != b->preference)
		return a->preference < b->preference ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Asks for the mail servers of an mx term in order of preference: DNS returns records in any order,
 * and the result must not depend on whether a failing lookup happens before or after the match. */
static void answer_mx(struct eds_spf_check *check, const struct eds_spf_question *question,
	struct eds_spf_reply *reply)
{
	const struct eds_dns_answer *answer = ask_for_term(check, question, EDS_DNS_MX);
	struct eds_dns_record exchanges[EDS_SPF_MX_MAX];

	if (answer == NULL)
		return;
	if (answer->count > EDS_SPF_MX_MAX) {
		eds_spf_stop(check, EDS_SPF_PERMERROR, "too-many-mx",
			"%s has more than %d MX records.", answer->name, EDS_SPF_MX_MAX);
		return;
	}
	memcpy(exchanges, answer->records, answer->count * sizeof *exchanges);
	qsort(exchanges, answer->count, sizeof *exchanges, compare_exchanges);
	for (size_t i = 0; i < answer->count && !reply->match; i++)
		add_exchange(check, question, exchanges[i].name, reply);
}

/* Answers a ptr term; a PTR lookup that fails gives no match (section 5.5). */
static void answer_ptr(struct eds_spf_check *check, const struct eds_spf_question *question,
	struct eds_spf_reply *reply)
{
	const char *domain = eds_spf_target_name(check, question->source, question->term);
	size_t count = 0;
	const struct eds_dns_answer *names = eds_spf_client_names(check, &count);

	if (domain == NULL || names == NULL)
		return;
	if (count == 0 && names->state != EDS_DNS_TEMPORARY)
		eds_spf_count_void(check, question);
	for (size_t i = 0; i < count && !reply->match; i++)
		reply->match = eds_spf_name_within(names->records[i].name, domain) &&
			eds_spf_name_is_client(check, names->records[i].name);
}

void eds_spf_answer(struct eds_spf_check *check, const struct eds_spf_question *question,
	struct eds_spf_reply *reply)
{
	memset(reply, 0, sizeof *reply);
	if (question->host != NULL) {
		answer_host(check, question->host, reply);
		return;
	}
	note_reached(check, question);
	if (question->place)
		return;
	eds_spf_count_term(check, question);
	if (question->term->kind == EDS_SPF_A)
		answer_a(check, question, reply);
	else if (question->term->kind == EDS_SPF_MX)
		answer_mx(check, question, reply);
	else if (question->term->kind == EDS_SPF_PTR)
		answer_ptr(check, question, reply);
	else
		reply->match = ask_for_term(check, question, EDS_DNS_A) != NULL;
}

const struct eds_spf_source *eds_spf_follow(
	struct eds_spf_check *check, const struct eds_spf_question *question)
{
	const char *name;

	if (question->source == NULL)
		return eds_spf_read_source(check, check->domain, EDS_SPF_VIA_NONE, NULL);
	note_reached(check, question);
	eds_spf_count_term(check, question);
	name = eds_spf_target_name(check, question->source, question->term);
	if (name == NULL)
		return NULL;
	return eds_spf_read_source(check, rt_lower(check->ctx, name),
		question->term->kind == EDS_SPF_INCLUDE ? EDS_SPF_VIA_INCLUDE
							: EDS_SPF_VIA_REDIRECT,
		question->source);
}
