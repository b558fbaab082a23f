#include "functions/lib/spf/spf-check.h"
#include "functions/lib/dns/name.h"
#include "runtime/time.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { REASON_MAX = 512 };

void eds_spf_stop(struct eds_spf_check *check, enum eds_spf_code code, const char *reason_code,
	const char *format, ...)
{
	char reason[REASON_MAX];
	va_list arguments;

	if (check->stopped)
		return;
	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	check->stopped = true;
	check->result->code = code;
	check->result->reason_code = reason_code;
	check->result->reason = rt_strdup(check->ctx, reason);
}

void eds_spf_note_step(struct eds_spf_check *check, const struct eds_spf_question *question)
{
	const struct eds_spf_source *source = question->source;
	struct eds_spf_result *result = check->result;

	if (result->step_count == EDS_SPF_STEPS_MAX || source->node == EDS_SPF_TREE_MAX)
		return;
	result->steps[result->step_count++] = (struct eds_spf_step){
		.node = source->node,
		.term = question->term != NULL ? (size_t)(question->term - source->record.terms)
					       : source->record.count,
	};
}

static void flag_last_step(struct eds_spf_check *check, enum eds_spf_step_flag flag)
{
	if (check->result->step_count > 0)
		check->result->steps[check->result->step_count - 1].flags |= flag;
}

/* Marks the last step, which decided the result, and each include or redirect that led to it. Going
 * backwards, that is each time the next step with a smaller depth than the step marked last. */
void eds_spf_note_match(struct eds_spf_check *check)
{
	struct eds_spf_result *result = check->result;
	unsigned depth = UINT_MAX;

	for (size_t i = result->step_count; i-- > 0;) {
		unsigned own = result->tree[result->steps[i].node].depth;

		if (own >= depth)
			continue;
		result->steps[i].flags |= EDS_SPF_STEP_MATCHED;
		depth = own;
	}
}

/* The format for a term and the domain of its record within a sentence. */
#define SHOWN_TERM "%.100s in the record of %.253s"

void eds_spf_count_term(struct eds_spf_check *check, const struct eds_spf_question *question)
{
	if (check->result->terms < EDS_SPF_TERMS_MAX) {
		check->result->terms++;
	} else {
		flag_last_step(check, EDS_SPF_STEP_OVER);
		eds_spf_stop(check, EDS_SPF_PERMERROR, "too-many-lookups",
			"The record needs more than the %d DNS lookups that are allowed (RFC 7208 "
			"section 4.6.4): " SHOWN_TERM " is the eleventh.",
			EDS_SPF_TERMS_MAX, question->term->text, question->source->domain);
	}
}

void eds_spf_count_void(struct eds_spf_check *check, const struct eds_spf_question *question)
{
	flag_last_step(check, EDS_SPF_STEP_VOID);
	if (check->result->void_lookups < EDS_SPF_VOID_MAX) {
		check->result->void_lookups++;
	} else {
		flag_last_step(check, EDS_SPF_STEP_OVER);
		eds_spf_stop(check, EDS_SPF_PERMERROR, "too-many-void-lookups",
			"More than %d terms look up records that DNS does not have (void lookups, "
			"RFC 7208 section 4.6.4): " SHOWN_TERM " is the third.",
			EDS_SPF_VOID_MAX, question->term->text, question->source->domain);
	}
}

/* Every question passes here, so the deadline also ends an evaluation whose lookups are slow. */
const struct eds_dns_answer *eds_spf_ask(
	struct eds_spf_check *check, const char *name, enum eds_dns_type type)
{
	if (rt_monotonic_ms() >= check->input->deadline_ms)
		eds_spf_stop(check, EDS_SPF_TEMPERROR, "time-limit",
			"The evaluation did not end in time.");
	return check->stopped ? NULL : check->lookup->get(check->lookup->arg, name, type);
}

const struct eds_dns_answer *eds_spf_ask_surely(
	struct eds_spf_check *check, const char *name, enum eds_dns_type type)
{
	const struct eds_dns_answer *answer = eds_spf_ask(check, name, type);

	if (answer == NULL || answer->state != EDS_DNS_TEMPORARY)
		return answer;
	eds_spf_stop(check, EDS_SPF_TEMPERROR, "dns-failure", "DNS failed for %s: %s.", name,
		answer->reason);
	return NULL;
}

enum eds_dns_type eds_spf_address_type(const struct eds_spf_check *check)
{
	return check->input->client.family == AF_INET ? EDS_DNS_A : EDS_DNS_AAAA;
}

bool eds_spf_name_is_client(struct eds_spf_check *check, const char *name)
{
	const struct eds_dns_answer *answer = eds_spf_ask(check, name, eds_spf_address_type(check));

	if (answer == NULL || answer->state != EDS_DNS_FOUND)
		return false;
	for (size_t i = 0; i < answer->count; i++)
		if (rt_ip_equal(&answer->records[i].ip, &check->input->client))
			return true;
	return false;
}

/* Compares whole labels, so that badexample.com is not within example.com. */
bool eds_spf_name_within(const char *name, const char *domain)
{
	size_t name_length = strlen(name);
	size_t length = strlen(domain);

	if (length > name_length || strcasecmp(name + name_length - length, domain) != 0)
		return false;
	return length == name_length || name[name_length - length - 1] == '.';
}

const struct eds_dns_answer *eds_spf_client_names(struct eds_spf_check *check, size_t *count)
{
	const struct eds_dns_answer *answer = eds_spf_ask(
		check, eds_dns_ptr_name(check->ctx, &check->input->client), EDS_DNS_PTR);

	*count = 0;
	if (answer != NULL && answer->state == EDS_DNS_FOUND)
		*count = answer->count < EDS_SPF_PTR_MAX ? answer->count : EDS_SPF_PTR_MAX;
	return answer;
}
