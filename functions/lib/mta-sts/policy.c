#include "functions/lib/mta-sts/policy.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/mta-sts/field.h"
#include "functions/lib/mta-sts/pattern.h"
#include "runtime/text/ascii.h"
#include "runtime/text/utf8.h"

enum {
	MAX_AGE_DIGITS = 10, /* digits of sts-policy-max-age (section 3.2) */
	SHOWN_MAX = 60,      /* maximum number of octets of a line that a sentence shows */
};

struct reader {
	struct rt_ctx *ctx;
	struct eds_policy *policy;
	const char *at;
	const char *end;
	size_t line;       /* number of the current line */
	size_t blank_line; /* number of the first of the empty lines just before the current line; 0
			    * if none */
	bool version;      /* a version: line was read */
	bool mode;         /* a mode: line was read */
	bool max_age;      /* a max_age: line was read */
};

static void warn_once(struct reader *r, const char *code, const char *text)
{
	if (!eds_finding_has(&r->policy->warnings, code))
		eds_finding_add(r->ctx, &r->policy->warnings, code, "%s", text);
}

/* Octets of the file in a form that is safe in a sentence. */
static const char *shown(struct reader *r, const char *text, size_t length)
{
	bool cut = length > SHOWN_MAX;
	char *copy = rt_memdup(r->ctx, text, cut ? SHOWN_MAX : length);

	for (size_t i = 0; i < (cut ? SHOWN_MAX : length); i++)
		if (copy[i] < ' ' || copy[i] > '~')
			copy[i] = '?';
	return cut ? rt_printf(r->ctx, "%s…", copy) : copy;
}

/* Splits a line into key, colon, *WSP, value, *WSP (section 3.2). */
static bool split(const char *text, size_t length, struct eds_mta_sts_field *field)
{
	const char *end = text + length;
	const char *colon = memchr(text, ':', length);
	const char *value;

	if (colon == NULL)
		return false;
	for (value = colon + 1; value < end && rt_is_wsp(*value); value++)
		;
	while (end > value && rt_is_wsp(end[-1]))
		end--;
	*field = (struct eds_mta_sts_field){.name = text,
		.name_length = (size_t)(colon - text),
		.value = value,
		.value_length = (size_t)(end - value)};
	return eds_mta_sts_field_name_ok(field);
}

/* True for an sts-policy-ext-value: visible characters with spaces between them, and UTF-8. The
 * values of all known keys have this form, too. */
static bool is_value(const struct eds_mta_sts_field *field)
{
	size_t at = 0;

	while (at < field->value_length) {
		size_t octets = rt_utf8_length(field->value + at, field->value_length - at);

		if (octets == 0 || (unsigned char)field->value[at] < ' ' ||
			field->value[at] == 0x7f)
			return false;
		at += octets;
	}
	return field->value_length > 0;
}

/* True for the first occurrence of a key; adds a warning when a key occurs again. */
static bool first(struct reader *r, bool *seen)
{
	if (*seen)
		warn_once(r, "policy-key-repeated",
			"A key appears twice in the policy file; senders use its first line.");
	if (*seen)
		return false;
	*seen = true;
	return true;
}

static void read_version(struct reader *r, const struct eds_mta_sts_field *field)
{
	if (first(r, &r->version) && !eds_mta_sts_value_is(field, "STSv1"))
		EDS_ERROR(r->ctx, r->policy, "policy-version",
			"The policy file says version: %s; it must be STSv1.",
			shown(r, field->value, field->value_length));
}

static void read_mode(struct reader *r, const struct eds_mta_sts_field *field)
{
	if (!first(r, &r->mode))
		return;
	for (enum eds_policy_mode mode = EDS_POLICY_NONE; mode <= EDS_POLICY_ENFORCE; mode++)
		if (eds_mta_sts_value_is(field, eds_policy_mode_name(mode)))
			r->policy->mode = mode;
	if (r->policy->mode == EDS_POLICY_UNKNOWN)
		EDS_ERROR(r->ctx, r->policy, "policy-mode",
			"The policy file says mode: %s; it must be testing, enforce or none.",
			shown(r, field->value, field->value_length));
}

static int64_t number(const struct eds_mta_sts_field *field)
{
	int64_t value = 0;

	if (field->value_length == 0 || field->value_length > MAX_AGE_DIGITS)
		return -1;
	for (size_t i = 0; i < field->value_length; i++) {
		if (field->value[i] < '0' || field->value[i] > '9')
			return -1;
		value = value * 10 + (field->value[i] - '0');
	}
	return value;
}

static void read_max_age(struct reader *r, const struct eds_mta_sts_field *field)
{
	int64_t seconds;

	if (!first(r, &r->max_age))
		return;
	seconds = number(field);
	if (seconds < 0 || seconds > EDS_POLICY_MAX_AGE_S_MAX) {
		EDS_ERROR(r->ctx, r->policy, "policy-max-age",
			"The policy file says max_age: %s; it must be a number of seconds up to %d.",
			shown(r, field->value, field->value_length), EDS_POLICY_MAX_AGE_S_MAX);
		return;
	}
	r->policy->max_age_s = seconds;
	if (seconds < EDS_POLICY_DAY_S)
		warn_once(r, "policy-max-age-short",
			"The policy's max_age is under a day, so senders soon forget it; take "
			"604800 or more.");
}

static bool is_known(const struct eds_policy *policy, const char *pattern)
{
	for (size_t i = 0; i < policy->mx_count; i++)
		if (strcasecmp(policy->mx[i], pattern) == 0)
			return true;
	return false;
}

static void add_mx(struct reader *r, const struct eds_mta_sts_field *field)
{
	const char *pattern = rt_memdup(r->ctx, field->value, field->value_length);

	if (strlen(pattern) != field->value_length || !eds_mta_sts_pattern_valid(pattern)) {
		EDS_ERROR(r->ctx, r->policy, "policy-mx",
			"The policy file says mx: %s; it must be one host name, or *. and a host "
			"name.",
			shown(r, field->value, field->value_length));
		return;
	}
	if (is_known(r->policy, pattern))
		warn_once(r, "policy-mx-repeated", "The policy file has the same mx: twice.");
	else if (r->policy->mx_count == EDS_POLICY_MX_MAX)
		warn_once(r, "policy-mx-many",
			"The policy file has more mx: lines than this service checks; use a "
			"pattern like *.example.com.");
	else
		r->policy->mx[r->policy->mx_count++] = pattern;
}

static void read_field(struct reader *r, const struct eds_mta_sts_field *field)
{
	if (eds_mta_sts_field_is(field, "version"))
		read_version(r, field);
	else if (eds_mta_sts_field_is(field, "mode"))
		read_mode(r, field);
	else if (eds_mta_sts_field_is(field, "max_age"))
		read_max_age(r, field);
	else if (eds_mta_sts_field_is(field, "mx"))
		add_mx(r, field);
}

static void syntax_error(struct reader *r, size_t line, const char *text, size_t length)
{
	if (eds_finding_has(&r->policy->errors, "policy-syntax"))
		return;
	EDS_ERROR(r->ctx, r->policy, "policy-syntax",
		"Line %zu of the policy file is not \"key: value\": %s", line,
		length == 0 ? "it is empty." : shown(r, text, length));
}

/* Empty lines before a field are an error; at the end of the file they are a warning. */
static void read_line(struct reader *r, const char *text, size_t length)
{
	struct eds_mta_sts_field field;

	if (length == 0) {
		if (r->blank_line == 0)
			r->blank_line = r->line;
		return;
	}
	if (r->blank_line != 0)
		syntax_error(r, r->blank_line, "", 0);
	r->blank_line = 0;
	if (!split(text, length, &field)) {
		syntax_error(r, r->line, text, length);
		return;
	}
	read_field(r, &field);
	if (!is_value(&field))
		syntax_error(r, r->line, text, length);
}

static void read_lines(struct reader *r)
{
	while (r->at < r->end) {
		const char *line = r->at;
		const char *lf = memchr(line, '\n', (size_t)(r->end - line));
		const char *line_end = lf != NULL ? lf : r->end;

		r->at = lf != NULL ? lf + 1 : r->end;
		if (lf != NULL && line_end > line && line_end[-1] == '\r')
			line_end--;
		r->line++;
		read_line(r, line, (size_t)(line_end - line));
	}
	if (r->blank_line != 0)
		warn_once(r, "policy-blank-line",
			"The policy file ends with an empty line, which strict senders refuse; "
			"remove it.");
}

static void check_missing(struct reader *r)
{
	if (!r->version)
		EDS_ERROR(r->ctx, r->policy, "policy-version",
			"The policy file has no line version: STSv1.");
	if (!r->mode)
		EDS_ERROR(r->ctx, r->policy, "policy-mode",
			"The policy file has no mode: line; it must be testing, enforce or none.");
	if (!r->max_age)
		EDS_ERROR(r->ctx, r->policy, "policy-max-age",
			"The policy file has no max_age: line.");
	if (r->policy->mx_count == 0 && r->policy->mode != EDS_POLICY_NONE &&
		!eds_finding_has(&r->policy->errors, "policy-mx"))
		EDS_ERROR(r->ctx, r->policy, "policy-mx-missing",
			"The policy file has no mx: line, so it allows no mail server of the "
			"domain.");
}

void eds_policy_read(struct rt_ctx *ctx, const char *text, size_t length, struct eds_policy *policy)
{
	struct reader r = {.ctx = ctx, .policy = policy, .at = text, .end = text + length};

	*policy = (struct eds_policy){.max_age_s = -1};
	if (length > EDS_POLICY_BYTES_MAX) {
		EDS_ERROR(r.ctx, r.policy, "policy-too-large",
			"The policy file has over %d octets.", EDS_POLICY_BYTES_MAX);
		return;
	}
	policy->mx = rt_alloc_array(ctx, EDS_POLICY_MX_MAX, sizeof *policy->mx);
	read_lines(&r);
	check_missing(&r);
}
