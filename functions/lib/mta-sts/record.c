#include "functions/lib/mta-sts/record.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/mta-sts/field.h"
#include "runtime/text/ascii.h"

#define STS_VERSION "v=STSv1"
#define RPT_VERSION "v=TLSRPTv1"

static bool begins_with(const struct eds_dns_record *record, const char *text)
{
	size_t length = strlen(text);

	return record->txt_length >= length && memcmp(record->txt, text, length) == 0;
}

/* Returns the last record that begins with the prefix, and sets *count to the number of such
 * records. */
static const struct eds_dns_record *choose(
	const struct eds_dns_answer *answer, const char *prefix, size_t *count)
{
	const struct eds_dns_record *chosen = NULL;

	*count = 0;
	for (size_t i = 0; answer->state == EDS_DNS_FOUND && i < answer->count; i++) {
		if (!begins_with(&answer->records[i], prefix))
			continue;
		chosen = &answer->records[i];
		++*count;
	}
	return chosen;
}

static size_t skip_wsp(const char *text, size_t length, size_t at)
{
	while (at < length && rt_is_wsp(text[at]))
		at++;
	return at;
}

/* The fields of a record. Each extends to the next semicolon, without surrounding white space. */
struct fields {
	const char *text;
	size_t length;
	size_t at;
	struct eds_mta_sts_field field;
};

/* Reads the next field; false at the end. A field that is not name=value has name_length 0. */
static bool next(struct fields *fields)
{
	const char *start;
	const char *end;
	const char *equals;

	fields->at = skip_wsp(fields->text, fields->length, fields->at);
	if (fields->at == fields->length)
		return false;
	start = fields->text + fields->at;
	end = memchr(start, ';', fields->length - fields->at);
	if (end == NULL)
		end = fields->text + fields->length;
	fields->at = (size_t)(end - fields->text);
	if (fields->at < fields->length)
		fields->at++;
	while (end > start && rt_is_wsp(end[-1]))
		end--;
	equals = memchr(start, '=', (size_t)(end - start));
	fields->field = (struct eds_mta_sts_field){.name = start};
	if (equals == NULL)
		return true;
	fields->field.name_length = (size_t)(equals - start);
	fields->field.value = equals + 1;
	fields->field.value_length = (size_t)(end - equals - 1);
	return true;
}

/* True for an extension with a valid sts-ext-value: visible characters except the equals sign and
 * the semicolon. */
static bool is_extension(const struct eds_mta_sts_field *field)
{
	if (!eds_mta_sts_field_name_ok(field) || field->value_length == 0)
		return false;
	for (size_t i = 0; i < field->value_length; i++) {
		char c = field->value[i];

		if (c <= ' ' || c > '~' || c == '=')
			return false;
	}
	return true;
}

static bool is_id(const struct eds_mta_sts_field *field)
{
	if (field->value_length == 0 || field->value_length > EDS_MTA_STS_ID_MAX)
		return false;
	for (size_t i = 0; i < field->value_length; i++)
		if (!rt_is_alnum(field->value[i]))
			return false;
	return true;
}

/* Reads an sts-text-record after its version and the first semicolon; a repeated id counts as an
 * extension. Returns the id, or NULL with the reason in errors. */
static const char *read_id(
	struct rt_ctx *ctx, const struct eds_dns_record *record, struct eds_findings *errors)
{
	struct fields fields = {.text = record->txt,
		.length = record->txt_length,
		.at = sizeof STS_VERSION ";" - 1};
	struct eds_mta_sts_field id = {0};

	while (next(&fields)) {
		if (eds_mta_sts_field_is(&fields.field, "id") && id.name == NULL) {
			id = fields.field;
		} else if (!is_extension(&fields.field)) {
			eds_finding_add(ctx, errors, "txt-syntax",
				"The _mta-sts TXT record has a part that is not name=value, so "
				"senders ignore the record; publish the record that is shown "
				"here.");
			return NULL;
		}
	}
	if (id.name == NULL)
		eds_finding_add(ctx, errors, "txt-id-missing",
			"The _mta-sts TXT record has no id=; publish it with the policy id.");
	else if (!is_id(&id))
		eds_finding_add(ctx, errors, "txt-id-invalid",
			"The id of the _mta-sts TXT record is not 1 to %d letters and digits, so "
			"senders ignore the record.",
			EDS_MTA_STS_ID_MAX);
	else
		return rt_memdup(ctx, id.value, id.value_length);
	return NULL;
}

/* For an answer in which senders accept no record: true when it has a record that was probably
 * meant for MTA-STS. */
static bool looks_meant(const struct eds_dns_answer *answer)
{
	for (size_t i = 0; answer->state == EDS_DNS_FOUND && i < answer->count; i++) {
		const struct eds_dns_record *record = &answer->records[i];
		size_t at = skip_wsp(record->txt, record->txt_length, 0);
		size_t left = record->txt_length - at;

		if ((left >= 5 && strncasecmp(record->txt + at, "v=STS", 5) == 0) ||
			(left >= 6 && strncasecmp(record->txt + at, "\"v=STS", 6) == 0))
			return true;
	}
	return false;
}

static void add_missing(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_findings *errors)
{
	if (answer->state == EDS_DNS_TEMPORARY)
		eds_finding_add(ctx, errors, "txt-temporary",
			eds_dns_resolver_is_away(answer)
				? "This service cannot reach its DNS resolver now, so nothing is "
				  "known about the _mta-sts TXT record."
				: "DNS gave no answer for the _mta-sts TXT record; if this "
				  "persists, check the domain's name servers.");
	else if (looks_meant(answer))
		eds_finding_add(ctx, errors, "txt-version",
			"Senders ignore the _mta-sts TXT record, because it does not begin with "
			"v=STSv1 and a semicolon in exactly this spelling.");
	else
		eds_finding_add(ctx, errors, "txt-missing",
			"There is no _mta-sts TXT record with v=STSv1; publish it.");
}

const char *eds_mta_sts_record_id(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_findings *errors)
{
	size_t count;
	const struct eds_dns_record *record = choose(answer, STS_VERSION ";", &count);

	if (count == 1)
		return read_id(ctx, record, errors);
	if (count == 0)
		add_missing(ctx, answer, errors);
	else
		eds_finding_add(ctx, errors, "txt-several",
			"There are %zu _mta-sts TXT records with v=STSv1, so senders use none; "
			"keep one.",
			count);
	return NULL;
}

/* True for printable ASCII without spaces that begins with a scheme that reporters support and has
 * text after it; the form of this text is not checked. */
static bool is_report_uri(const char *text, size_t length)
{
	static const char *const schemes[] = {"mailto:", "https:"};

	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
		if (length > strlen(schemes[i]) &&
			strncasecmp(text, schemes[i], strlen(schemes[i])) == 0)
			return true;
	return false;
}

/* True for a list of URIs: tlsrpt-uri *(*WSP "," *WSP tlsrpt-uri). */
static bool is_rua(const struct eds_mta_sts_field *field)
{
	size_t at = 0;

	do {
		size_t start = at = skip_wsp(field->value, field->value_length, at);
		size_t end;

		while (at < field->value_length && field->value[at] != ',')
			at++;
		for (end = at; end > start && rt_is_wsp(field->value[end - 1]); end--)
			;
		if (!is_report_uri(field->value + start, end - start))
			return false;
	} while (at++ < field->value_length);
	return true;
}

static enum eds_tlsrpt read_rpt(const struct eds_dns_record *record)
{
	struct fields fields = {.text = record->txt,
		.length = record->txt_length,
		.at = sizeof RPT_VERSION ";" - 1};

	/* rua= comes first (section 3); the fields after it only have to be name=value */
	if (!next(&fields) || !eds_mta_sts_field_is(&fields.field, "rua") || !is_rua(&fields.field))
		return EDS_TLSRPT_INVALID;
	while (next(&fields))
		if (!is_extension(&fields.field))
			return EDS_TLSRPT_INVALID;
	return EDS_TLSRPT_PRESENT;
}

enum eds_tlsrpt eds_tlsrpt_read(const struct eds_dns_answer *answer)
{
	size_t count;
	const struct eds_dns_record *record = choose(answer, RPT_VERSION ";", &count);

	if (answer->state == EDS_DNS_TEMPORARY)
		return EDS_TLSRPT_UNKNOWN;
	if (count == 0)
		return EDS_TLSRPT_MISSING;
	return count == 1 ? read_rpt(record) : EDS_TLSRPT_INVALID;
}

const char *eds_tlsrpt_uris(struct rt_ctx *ctx, const char *address, const char *url)
{
	return rt_printf(
		ctx, "mailto:%s%s%s", address, url != NULL ? "," : "", url != NULL ? url : "");
}

const char *eds_tlsrpt_name(enum eds_tlsrpt state)
{
	static const char *const names[] = {
		[EDS_TLSRPT_UNKNOWN] = "unknown",
		[EDS_TLSRPT_PRESENT] = "present",
		[EDS_TLSRPT_MISSING] = "missing",
		[EDS_TLSRPT_INVALID] = "invalid",
	};

	return names[state];
}
