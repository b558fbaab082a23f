#include "functions/lib/reports/xml/aggregate.h"

#include <string.h>

#include "functions/lib/reports/senders.h"
#include "functions/lib/reports/text.h"

struct known {
	enum eds_aggregate_element parent;
	enum eds_aggregate_element element;
	struct name {
		const char *at;
		size_t length;
	} name;
};

#define NAME(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

/* The known elements, grouped by parent, with frequent ones first. */
static const struct known known[] = {
	{EDS_ELEMENT_FEEDBACK, EDS_ELEMENT_RECORD, NAME("record")},
	{EDS_ELEMENT_FEEDBACK, EDS_ELEMENT_METADATA, NAME("report_metadata")},
	{EDS_ELEMENT_FEEDBACK, EDS_ELEMENT_PUBLISHED, NAME("policy_published")},
	{EDS_ELEMENT_FEEDBACK, EDS_ELEMENT_VERSION, NAME("version")},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_ORG, NAME("org_name")},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_EMAIL, NAME("email")},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_REPORT_ID, NAME("report_id")},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_DATE_RANGE, NAME("date_range")},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_EXTRA_CONTACT, NAME("extra_contact_info")},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_GENERATOR, NAME("generator")},
	{EDS_ELEMENT_METADATA, EDS_ELEMENT_ERROR, NAME("error")},
	{EDS_ELEMENT_DATE_RANGE, EDS_ELEMENT_BEGIN, NAME("begin")},
	{EDS_ELEMENT_DATE_RANGE, EDS_ELEMENT_END, NAME("end")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_DOMAIN, NAME("domain")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_ADKIM, NAME("adkim")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_ASPF, NAME("aspf")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_P, NAME("p")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_SP, NAME("sp")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_NP, NAME("np")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_TESTING, NAME("testing")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_DISCOVERY, NAME("discovery_method")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_FO, NAME("fo")},
	{EDS_ELEMENT_PUBLISHED, EDS_ELEMENT_PCT, NAME("pct")},
	{EDS_ELEMENT_RECORD, EDS_ELEMENT_ROW, NAME("row")},
	{EDS_ELEMENT_RECORD, EDS_ELEMENT_AUTH_RESULTS, NAME("auth_results")},
	{EDS_ELEMENT_RECORD, EDS_ELEMENT_IDENTIFIERS, NAME("identifiers")},
	{EDS_ELEMENT_RECORD, EDS_ELEMENT_IDENTIFIERS, NAME("identities")},
	{EDS_ELEMENT_ROW, EDS_ELEMENT_SOURCE_IP, NAME("source_ip")},
	{EDS_ELEMENT_ROW, EDS_ELEMENT_COUNT, NAME("count")},
	{EDS_ELEMENT_ROW, EDS_ELEMENT_EVALUATED, NAME("policy_evaluated")},
	{EDS_ELEMENT_EVALUATED, EDS_ELEMENT_DISPOSITION, NAME("disposition")},
	{EDS_ELEMENT_EVALUATED, EDS_ELEMENT_ALIGNED_DKIM, NAME("dkim")},
	{EDS_ELEMENT_EVALUATED, EDS_ELEMENT_ALIGNED_SPF, NAME("spf")},
	{EDS_ELEMENT_EVALUATED, EDS_ELEMENT_REASON, NAME("reason")},
	{EDS_ELEMENT_REASON, EDS_ELEMENT_ITEM_TYPE, NAME("type")},
	{EDS_ELEMENT_REASON, EDS_ELEMENT_ITEM_REMARK, NAME("comment")},
	{EDS_ELEMENT_IDENTIFIERS, EDS_ELEMENT_HEADER_FROM, NAME("header_from")},
	{EDS_ELEMENT_IDENTIFIERS, EDS_ELEMENT_ENVELOPE_FROM, NAME("envelope_from")},
	{EDS_ELEMENT_IDENTIFIERS, EDS_ELEMENT_ENVELOPE_TO, NAME("envelope_to")},
	{EDS_ELEMENT_AUTH_RESULTS, EDS_ELEMENT_DKIM, NAME("dkim")},
	{EDS_ELEMENT_AUTH_RESULTS, EDS_ELEMENT_SPF, NAME("spf")},
	{EDS_ELEMENT_DKIM, EDS_ELEMENT_ITEM_DOMAIN, NAME("domain")},
	{EDS_ELEMENT_DKIM, EDS_ELEMENT_ITEM_SELECTOR, NAME("selector")},
	{EDS_ELEMENT_DKIM, EDS_ELEMENT_ITEM_RESULT, NAME("result")},
	{EDS_ELEMENT_DKIM, EDS_ELEMENT_ITEM_REMARK, NAME("human_result")},
	{EDS_ELEMENT_SPF, EDS_ELEMENT_ITEM_DOMAIN, NAME("domain")},
	{EDS_ELEMENT_SPF, EDS_ELEMENT_ITEM_SCOPE, NAME("scope")},
	{EDS_ELEMENT_SPF, EDS_ELEMENT_ITEM_RESULT, NAME("result")},
	{EDS_ELEMENT_SPF, EDS_ELEMENT_ITEM_REMARK, NAME("human_result")},
};

/* Index in known[] of each parent's first child, by the parent's number. */
static const uint8_t first_child[EDS_ELEMENT_TEXT] = {
	[EDS_ELEMENT_FEEDBACK] = 0,
	[EDS_ELEMENT_METADATA] = 4,
	[EDS_ELEMENT_DATE_RANGE] = 11,
	[EDS_ELEMENT_PUBLISHED] = 13,
	[EDS_ELEMENT_RECORD] = 23,
	[EDS_ELEMENT_ROW] = 27,
	[EDS_ELEMENT_EVALUATED] = 30,
	[EDS_ELEMENT_REASON] = 34,
	[EDS_ELEMENT_IDENTIFIERS] = 36,
	[EDS_ELEMENT_AUTH_RESULTS] = 39,
	[EDS_ELEMENT_DKIM] = 41,
	[EDS_ELEMENT_SPF] = 45,
};

static const char *const dispositions[EDS_DISPOSITIONS] = {
	"", "none", "pass", "quarantine", "reject"};
static const char *const alignments[EDS_ALIGNMENTS] = {"", "pass", "fail"};
static const char *const results[EDS_DKIM_RESULTS] = {
	"", "pass", "fail", "none", "policy", "neutral", "temperror", "permerror"};

static bool is_named(const char *name, size_t length, const struct name *other)
{
	return length == other->length && memcmp(name, other->at, length) == 0;
}

static enum eds_aggregate_element child_named(
	enum eds_aggregate_element parent, const char *local_name, size_t length)
{
	static const struct name feedback = NAME("feedback");

	if (parent == EDS_ELEMENT_OUTSIDE)
		return is_named(local_name, length, &feedback) ? EDS_ELEMENT_FEEDBACK
							       : EDS_ELEMENT_OUTSIDE;
	for (size_t i = first_child[parent];
		i < sizeof known / sizeof known[0] && known[i].parent == parent; i++)
		if (is_named(local_name, length, &known[i].name))
			return known[i].element;
	return EDS_ELEMENT_UNKNOWN;
}

/* Looks up the whole name first, then the name without its prefix, since few reports use
 * prefixes. */
enum eds_aggregate_element eds_aggregate_child(
	enum eds_aggregate_element parent, const char *name, size_t length)
{
	enum eds_aggregate_element element;
	const char *colon;

	if (parent == EDS_ELEMENT_UNKNOWN || parent >= EDS_ELEMENT_TEXT)
		return EDS_ELEMENT_UNKNOWN;
	element = child_named(parent, name, length);
	if (element > EDS_ELEMENT_UNKNOWN)
		return element;
	colon = memrchr(name, ':', length);
	if (colon == NULL)
		return element;
	return child_named(parent, colon + 1, length - (size_t)(colon + 1 - name));
}

struct eds_aggregate *eds_aggregate_new(struct rt_ctx *ctx)
{
	struct eds_aggregate *aggregate = rt_alloc(ctx, sizeof *aggregate);

	aggregate->ctx = ctx;
	aggregate->sums = eds_sums_new(ctx);
	aggregate->report.kind = EDS_REPORT_DMARC;
	aggregate->report.policy.pct = -1;
	aggregate->report.errors = aggregate->errors;
	return aggregate;
}

/* The index of a word in a list, without regard to case; 0 when the list does not have it. Tries an
 * exact match first, because few reporters write capitals. */
static unsigned word_index(const char *text, const char *const *words, unsigned count)
{
	for (unsigned i = 1; i < count; i++)
		if (*text == *words[i] && strcmp(text, words[i]) == 0)
			return i;
	for (unsigned i = 1; i < count; i++)
		if (eds_text_is(text, words[i]))
			return i;
	return 0;
}

static void begin_record(struct eds_aggregate *aggregate)
{
	aggregate->row = (struct eds_report_row){.messages = 0};
	eds_row_auth_init(&aggregate->auth);
	aggregate->passed_on = false;
	aggregate->signature_count = 0;
	aggregate->header_from[0] = aggregate->spf_domain[0] = '\0';
}

void eds_aggregate_begin(struct eds_aggregate *aggregate, enum eds_aggregate_element element)
{
	struct eds_aggregate_item *item = &aggregate->item;

	if (element == EDS_ELEMENT_RECORD)
		begin_record(aggregate);
	else if (element == EDS_ELEMENT_DKIM || element == EDS_ELEMENT_SPF ||
		element == EDS_ELEMENT_REASON)
		item->domain[0] = item->selector[0] = item->result[0] = item->remark[0] = '\0';
}

/* True when the reason says that the mail was passed on. The types are those of RFC 7489 appendix
 * C; receivers that trust an ARC chain report local_policy, with arc=pass in the comment. */
static bool says_passed_on(const struct eds_aggregate_item *reason)
{
	static const char *const types[] = {"forwarded", "trusted_forwarder", "mailing_list"};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcmp(reason->domain, types[i]) == 0)
			return true;
	return strcmp(reason->domain, "local_policy") == 0 &&
		strcasestr(reason->remark, "arc=pass") != NULL;
}

static bool is_at_or_below(const char *name, const char *parent)
{
	size_t length = strlen(name);
	size_t parent_length = strlen(parent);

	return length >= parent_length && strcmp(name + length - parent_length, parent) == 0 &&
		(length == parent_length || name[length - parent_length - 1] == '.');
}

static bool are_related(const char *a, const char *b)
{
	return *b == '\0' || is_at_or_below(a, b) || is_at_or_below(b, a);
}

/* True when SPF checked a domain that is neither the sender's own nor that of a known sending
 * service. */
static bool has_foreign_spf(const struct eds_aggregate *aggregate)
{
	const char *spf = aggregate->spf_domain;
	const char *policy = aggregate->report.domain;
	const struct eds_sender *sender;

	if (*spf == '\0' || are_related(spf, aggregate->header_from) ||
		(policy != NULL && are_related(spf, policy)))
		return false;
	sender = eds_sender_of(spf);
	return sender == NULL || sender->kind != EDS_SENDER_SERVICE;
}

static enum eds_report_class class_of(const struct eds_aggregate *aggregate)
{
	const struct eds_report_row *row = &aggregate->row;

	if (row->spf == EDS_ALIGNMENT_PASS)
		return EDS_CLASS_PASSED;
	if (aggregate->passed_on)
		return EDS_CLASS_FORWARDED;
	if (row->dkim != EDS_ALIGNMENT_PASS)
		return EDS_CLASS_FAILED;
	return has_foreign_spf(aggregate) ? EDS_CLASS_FORWARDED : EDS_CLASS_PASSED;
}

static void sum_signatures(struct eds_aggregate *aggregate)
{
	for (size_t i = 0; i < aggregate->signature_count; i++) {
		const struct eds_aggregate_item *item = &aggregate->signatures[i];

		eds_sums_signature(aggregate->sums, item->domain, item->selector,
			(enum eds_report_dkim_result)word_index(
				item->result, results, EDS_DKIM_RESULTS),
			aggregate->row.messages);
	}
	aggregate->signature_count = 0;
}

static void end_item(struct eds_aggregate *aggregate, enum eds_aggregate_element element)
{
	const struct eds_aggregate_item *item = &aggregate->item;
	struct eds_report_auth_item whole = {
		item->domain, item->selector, item->result, item->remark};

	switch (element) {
	case EDS_ELEMENT_REASON:
		aggregate->passed_on = aggregate->passed_on || says_passed_on(item);
		eds_row_auth_item(&aggregate->auth, EDS_AUTH_REASON, &whole);
		break;
	case EDS_ELEMENT_SPF:
		if (aggregate->spf_domain[0] == '\0' || strcmp(item->selector, "mfrom") == 0)
			memcpy(aggregate->spf_domain, item->domain, sizeof item->domain);
		eds_row_auth_item(&aggregate->auth, EDS_AUTH_SPF, &whole);
		break;
	default:
		eds_row_auth_item(&aggregate->auth, EDS_AUTH_DKIM, &whole);
		if (aggregate->signature_count == EDS_AGGREGATE_SIGNATURES)
			sum_signatures(aggregate);
		aggregate->signatures[aggregate->signature_count++] = *item;
		break;
	}
}

static void end_item_text(struct eds_aggregate_item *item, enum eds_aggregate_element element,
	const char *text, size_t length)
{
	switch (element) {
	case EDS_ELEMENT_ITEM_DOMAIN:
	case EDS_ELEMENT_ITEM_TYPE:
		eds_text_domain(text, length, item->domain);
		break;
	case EDS_ELEMENT_ITEM_SELECTOR:
		eds_text_whole(text, length, item->selector, EDS_REPORT_SELECTOR_MAX);
		break;
	case EDS_ELEMENT_ITEM_SCOPE:
		eds_text_lower(text, length, item->selector, EDS_REPORT_SELECTOR_MAX);
		break;
	case EDS_ELEMENT_ITEM_RESULT:
		eds_text_lower(text, length, item->result, EDS_REPORT_WORD_MAX);
		break;
	default:
		eds_text_begin(text, length, item->remark, EDS_REPORT_REMARK_MAX);
		break;
	}
}

static void end_identifier(struct eds_aggregate *aggregate, enum eds_aggregate_element element,
	const char *text, size_t length)
{
	char domain[EDS_REPORT_DOMAIN_MAX + 1];

	eds_text_domain(text, length, domain);
	if (element == EDS_ELEMENT_HEADER_FROM)
		memcpy(aggregate->header_from, domain, sizeof domain);
	eds_row_auth_text(&aggregate->auth,
		element == EDS_ELEMENT_HEADER_FROM             ? EDS_AUTH_HEADER_FROM
			: element == EDS_ELEMENT_ENVELOPE_FROM ? EDS_AUTH_ENVELOPE_FROM
							       : EDS_AUTH_ENVELOPE_TO,
		domain);
}

static void end_row(
	struct eds_report_row *row, enum eds_aggregate_element element, const char *text)
{
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
	default:
		row->spf = (enum eds_report_alignment)word_index(text, alignments, EDS_ALIGNMENTS);
		break;
	}
}

static void end_record(struct eds_aggregate *aggregate)
{
	aggregate->row.class = class_of(aggregate);
	sum_signatures(aggregate);
	eds_row_auth_end(&aggregate->auth);
	eds_sums_row(
		aggregate->sums, &aggregate->row, aggregate->auth.bytes, aggregate->auth.length);
}

/* Keeps the first of several values: a report should have only one. */
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
		[EDS_ELEMENT_TESTING - EDS_ELEMENT_ADKIM] = &policy->testing,
		[EDS_ELEMENT_DISCOVERY - EDS_ELEMENT_ADKIM] = &policy->discovery,
		[EDS_ELEMENT_FO - EDS_ELEMENT_ADKIM] = &policy->fo};

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
	case EDS_ELEMENT_VERSION:
		keep(&report->version, eds_text_word(aggregate->ctx, text, length));
		break;
	case EDS_ELEMENT_EXTRA_CONTACT:
		keep(&report->extra_contact, eds_text_cut(aggregate->ctx, text, length));
		break;
	case EDS_ELEMENT_GENERATOR:
		keep(&report->generator, eds_text_cut(aggregate->ctx, text, length));
		break;
	case EDS_ELEMENT_ERROR:
		if (length > 0 && report->error_count < EDS_REPORT_ERRORS_MAX)
			aggregate->errors[report->error_count++] = eds_text_cut(
				aggregate->ctx, text, length);
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
	if (element >= EDS_ELEMENT_ITEM_DOMAIN)
		end_item_text(&aggregate->item, element, text, length);
	else if (element >= EDS_ELEMENT_HEADER_FROM)
		end_identifier(aggregate, element, text, length);
	else if (element >= EDS_ELEMENT_SOURCE_IP)
		end_row(&aggregate->row, element, text);
	else if (element >= EDS_ELEMENT_ORG)
		end_head(aggregate, element, text, length);
	else if (element == EDS_ELEMENT_RECORD)
		end_record(aggregate);
	else if (element == EDS_ELEMENT_DKIM || element == EDS_ELEMENT_SPF ||
		element == EDS_ELEMENT_REASON)
		end_item(aggregate, element);
}
