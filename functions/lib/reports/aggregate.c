#include "functions/lib/reports/aggregate.h"

#include <string.h>

#include "functions/lib/reports/text.h"

struct known {
	enum eds_aggregate_element parent;
	enum eds_aggregate_element element;
	const char *name;
};

/* By parent, and the frequent ones first. */
static const struct known known[] = {
	{EDS_ELEMENT_FEEDBACK, EDS_ELEMENT_RECORD, "record"},
	{EDS_ELEMENT_FEEDBACK, EDS_ELEMENT_METADATA, "report_metadata"},
	{EDS_ELEMENT_FEEDBACK, EDS_ELEMENT_PUBLISHED, "policy_published"},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_ORG, "org_name"},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_EMAIL, "email"},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_REPORT_ID, "report_id"},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_DATE_RANGE, "date_range"},
	{EDS_ELEMENT_DATE_RANGE, EDS_ELEMENT_BEGIN, "begin"},
	{EDS_ELEMENT_DATE_RANGE, EDS_ELEMENT_END, "end"},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_DOMAIN, "domain"},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_ADKIM, "adkim"},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_ASPF, "aspf"},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_P, "p"},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_SP, "sp"},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_NP, "np"},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_TESTING, "testing"},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_PCT, "pct"},
	{EDS_ELEMENT_RECORD, EDS_ELEMENT_ROW, "row"},
	{EDS_ELEMENT_RECORD, EDS_ELEMENT_AUTH_RESULTS, "auth_results"},
	{EDS_ELEMENT_ROW, EDS_ELEMENT_SOURCE_IP, "source_ip"},
	{EDS_ELEMENT_ROW, EDS_ELEMENT_COUNT, "count"},
	{EDS_ELEMENT_ROW, EDS_ELEMENT_EVALUATED, "policy_evaluated"},
	{EDS_ELEMENT_EVALUATED, EDS_ELEMENT_DISPOSITION, "disposition"},
	{EDS_ELEMENT_EVALUATED, EDS_ELEMENT_ALIGNED_DKIM, "dkim"},
	{EDS_ELEMENT_EVALUATED, EDS_ELEMENT_ALIGNED_SPF, "spf"},
	{EDS_ELEMENT_AUTH_RESULTS, EDS_ELEMENT_DKIM, "dkim"},
	{EDS_ELEMENT_DKIM, EDS_ELEMENT_DKIM_DOMAIN, "domain"},
	{EDS_ELEMENT_DKIM, EDS_ELEMENT_DKIM_SELECTOR, "selector"},
	{EDS_ELEMENT_DKIM, EDS_ELEMENT_DKIM_RESULT, "result"},
};

/* The first of each parent's in known[], by its number. */
static const uint8_t first_child[EDS_ELEMENT_TEXT] = {
	[EDS_ELEMENT_FEEDBACK] = 0,
	[EDS_ELEMENT_METADATA] = 3,
	[EDS_ELEMENT_DATE_RANGE] = 7,
	[EDS_ELEMENT_PUBLISHED] = 9,
	[EDS_ELEMENT_RECORD] = 17,
	[EDS_ELEMENT_ROW] = 19,
	[EDS_ELEMENT_EVALUATED] = 22,
	[EDS_ELEMENT_AUTH_RESULTS] = 25,
	[EDS_ELEMENT_DKIM] = 26,
};

static const char *const dispositions[EDS_DISPOSITIONS] = {
	"", "none", "pass", "quarantine", "reject"};
static const char *const alignments[EDS_ALIGNMENTS] = {"", "pass", "fail"};
static const char *const results[EDS_DKIM_RESULTS] = {
	"", "pass", "fail", "none", "policy", "neutral", "temperror", "permerror"};

static enum eds_aggregate_element child_named(
	enum eds_aggregate_element parent, const char *local_name)
{
	if (parent == EDS_ELEMENT_OUTSIDE)
		return strcmp(local_name, "feedback") == 0 ? EDS_ELEMENT_FEEDBACK
							   : EDS_ELEMENT_OUTSIDE;
	for (size_t i = first_child[parent];
		i < sizeof known / sizeof known[0] && known[i].parent == parent; i++)
		if (known[i].name[0] == local_name[0] && strcmp(known[i].name, local_name) == 0)
			return known[i].element;
	return EDS_ELEMENT_UNKNOWN;
}

/* Few reports have names with a prefix, so a name is first taken to have none. */
enum eds_aggregate_element eds_aggregate_child(enum eds_aggregate_element parent, const char *name)
{
	enum eds_aggregate_element element;
	const char *colon;

	if (parent == EDS_ELEMENT_UNKNOWN || parent >= EDS_ELEMENT_TEXT)
		return EDS_ELEMENT_UNKNOWN;
	element = child_named(parent, name);
	if (element > EDS_ELEMENT_UNKNOWN)
		return element;
	colon = strrchr(name, ':');
	return colon == NULL ? element : child_named(parent, colon + 1);
}

struct eds_aggregate *eds_aggregate_new(struct rt_ctx *ctx)
{
	struct eds_aggregate *aggregate = rt_alloc(ctx, sizeof *aggregate);

	aggregate->ctx = ctx;
	aggregate->sums = eds_sums_new(ctx);
	aggregate->report.kind = EDS_REPORT_DMARC;
	aggregate->report.policy.pct = -1;
	return aggregate;
}

/* The index of a word in a list, without regard to case; 0 when it is not in it. */
static unsigned word_index(const char *text, const char *const *words, unsigned count)
{
	for (unsigned i = 1; i < count; i++)
		if (eds_text_is(text, words[i]))
			return i;
	return 0;
}

void eds_aggregate_begin(struct eds_aggregate *aggregate, enum eds_aggregate_element element)
{
	if (element == EDS_ELEMENT_RECORD) {
		aggregate->row = (struct eds_report_row){.messages = 0};
	} else if (element == EDS_ELEMENT_DKIM) {
		aggregate->domain[0] = aggregate->selector[0] = '\0';
		aggregate->result = EDS_DKIM_RESULT_OTHER;
	}
}

static void end_record(struct eds_aggregate *aggregate, enum eds_aggregate_element element,
	const char *text, size_t length)
{
	struct eds_report_row *row = &aggregate->row;

	switch (element) {
	case EDS_ELEMENT_SOURCE_IP:
		if (!rt_ip_parse(text, &row->source))
			row->source = (struct rt_ip){.family = 0};
		break;
	case EDS_ELEMENT_COUNT:
		row->messages = eds_text_number(text);
		break;
	case EDS_ELEMENT_DISPOSITION:
		row->disposition = (enum eds_report_disposition)word_index(
			text, dispositions, EDS_DISPOSITIONS);
		break;
	case EDS_ELEMENT_ALIGNED_DKIM:
		row->dkim = (enum eds_report_alignment)word_index(text, alignments, EDS_ALIGNMENTS);
		break;
	case EDS_ELEMENT_ALIGNED_SPF:
		row->spf = (enum eds_report_alignment)word_index(text, alignments, EDS_ALIGNMENTS);
		break;
	case EDS_ELEMENT_DKIM_DOMAIN:
		eds_text_domain(text, length, aggregate->domain);
		break;
	case EDS_ELEMENT_DKIM_SELECTOR:
		eds_text_whole(text, length, aggregate->selector, EDS_REPORT_SELECTOR_MAX);
		break;
	case EDS_ELEMENT_DKIM_RESULT:
		aggregate->result = (enum eds_report_dkim_result)word_index(
			text, results, EDS_DKIM_RESULTS);
		break;
	case EDS_ELEMENT_DKIM:
		eds_sums_signature(aggregate->sums, aggregate->domain, aggregate->selector,
			aggregate->result, row->messages);
		break;
	case EDS_ELEMENT_RECORD:
		eds_sums_row(aggregate->sums, row);
		break;
	default:
		break;
	}
}

/* The first of several counts: a report has one. */
static void keep(const char **field, const char *value)
{
	if (*field == NULL || (*field)[0] == '\0')
		*field = value;
}

static void end_policy(struct eds_aggregate *aggregate, enum eds_aggregate_element element,
	const char *text, size_t length)
{
	struct eds_report_policy *policy = &aggregate->report.policy;
	const char **words[] = {[0] = &policy->adkim,
		[EDS_ELEMENT_ASPF - EDS_ELEMENT_ADKIM] = &policy->aspf,
		[EDS_ELEMENT_P - EDS_ELEMENT_ADKIM] = &policy->p,
		[EDS_ELEMENT_SP - EDS_ELEMENT_ADKIM] = &policy->sp,
		[EDS_ELEMENT_NP - EDS_ELEMENT_ADKIM] = &policy->np,
		[EDS_ELEMENT_TESTING - EDS_ELEMENT_ADKIM] = &policy->testing};

	if (element == EDS_ELEMENT_PCT)
		policy->pct = eds_text_percent(text);
	else
		keep(words[element - EDS_ELEMENT_ADKIM],
			eds_text_word(aggregate->ctx, text, length));
}

static void end_head(struct eds_aggregate *aggregate, enum eds_aggregate_element element,
	const char *text, size_t length)
{
	struct eds_report *report = &aggregate->report;
	char domain[EDS_REPORT_DOMAIN_MAX + 1];

	switch (element) {
	case EDS_ELEMENT_ORG:
		keep(&report->org, eds_text_cut(aggregate->ctx, text, length));
		break;
	case EDS_ELEMENT_EMAIL:
		keep(&report->email, eds_text_cut(aggregate->ctx, text, length));
		break;
	case EDS_ELEMENT_REPORT_ID:
		keep(&report->report_id, eds_text_id(aggregate->ctx, text, length));
		break;
	case EDS_ELEMENT_BEGIN:
		report->begin_s = eds_text_epoch(text);
		break;
	case EDS_ELEMENT_END:
		report->end_s = eds_text_epoch(text);
		break;
	case EDS_ELEMENT_DOMAIN:
		eds_text_domain(text, length, domain);
		keep(&report->domain, rt_strdup(aggregate->ctx, domain));
		break;
	default:
		end_policy(aggregate, element, text, length);
		break;
	}
}

void eds_aggregate_end(struct eds_aggregate *aggregate, enum eds_aggregate_element element,
	const char *text, size_t length)
{
	if (element >= EDS_ELEMENT_ORG && element <= EDS_ELEMENT_PCT)
		end_head(aggregate, element, text, length);
	else
		end_record(aggregate, element, text, length);
}
