#include <string.h>
#include <strings.h>

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/lib/dmarc/record.h"
#include "functions/lib/dmarc/uri.h"
#include "runtime/text/ascii.h"

enum {
	SHOWN_BYTES_MAX = 64, /* maximum number of octets of a record's text that a message shows */
};

struct span {
	const char *text;
	size_t length;
};

enum tag {
	TAG_ADKIM,
	TAG_ASPF,
	TAG_FO,
	TAG_NP,
	TAG_P,
	TAG_PSD,
	TAG_RUA,
	TAG_RUF,
	TAG_SP,
	TAG_T,
	TAGS,
};

static const char *const tag_names[TAGS] = {
	"adkim", "aspf", "fo", "np", "p", "psd", "rua", "ruf", "sp", "t"};

struct tags {
	struct span values[TAGS];
	bool seen[TAGS];
};

static struct span trim(struct span span)
{
	while (span.length > 0 && rt_is_wsp(span.text[0])) {
		span.text++;
		span.length--;
	}
	while (span.length > 0 && rt_is_wsp(span.text[span.length - 1]))
		span.length--;
	return span;
}

static bool span_is(struct span span, const char *word)
{
	return strlen(word) == span.length && strncasecmp(span.text, word, span.length) == 0;
}

/* Makes untrusted text safe for a message: printable ASCII, cut at SHOWN_BYTES_MAX. */
static const char *shown(struct rt_ctx *ctx, struct span span)
{
	char *text = rt_memdup(
		ctx, span.text, span.length < SHOWN_BYTES_MAX ? span.length : SHOWN_BYTES_MAX);

	for (size_t i = 0; i < span.length && i < SHOWN_BYTES_MAX; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
	return text;
}

/* Returns the part up to the next separator and consumes both. */
static struct span next_part(struct span *rest, char separator)
{
	const char *end = memchr(rest->text, separator, rest->length);
	struct span part = {rest->text, end ? (size_t)(end - rest->text) : rest->length};
	size_t used = part.length + (end != NULL);

	rest->text += used;
	rest->length -= used;
	return trim(part);
}

/* Splits "name = value"; false without a name or without "=". */
static bool split_tag(struct span part, struct span *name, struct span *value)
{
	const char *equals = memchr(part.text, '=', part.length);

	if (equals == NULL)
		return false;
	*name = trim((struct span){part.text, (size_t)(equals - part.text)});
	*value = trim((struct span){equals + 1, part.length - (size_t)(equals + 1 - part.text)});
	return name->length > 0;
}

/* True for v=DMARC1, with which every record must begin; DMARC1 must be in upper case. */
static bool is_version(struct span part)
{
	struct span name;
	struct span value;

	return split_tag(part, &name, &value) && span_is(name, "v") && value.length == 6 &&
		memcmp(value.text, "DMARC1", 6) == 0;
}

/* Reads the value of pct=, the percentage of failing mail to which the policy applies; -1 when
 * invalid. */
static int read_percent(struct span value)
{
	int percent = 0;

	if (value.length == 0 || value.length > 3)
		return -1;
	for (size_t i = 0; i < value.length; i++) {
		if (value.text[i] < '0' || value.text[i] > '9')
			return -1;
		percent = percent * 10 + (value.text[i] - '0');
	}
	return percent <= 100 ? percent : -1;
}

static void warn_unknown_tag(
	struct rt_ctx *ctx, struct span name, struct span value, struct eds_dmarc_record *record)
{
	if (span_is(name, "pct"))
		record->percent = read_percent(value);
	if (span_is(name, "pct") && record->percent >= 0 && record->percent < 100)
		eds_finding_add(ctx, &record->warnings, "dmarc-tag-removed",
			"The tag pct= is no longer part of DMARC (RFC 9989): receivers that follow "
			"RFC 9989 apply the policy to all failing mail, older receivers to %d %% "
			"of it. Remove pct= when all of your own mail passes; until then, a milder "
			"p= protects your mail at both kinds of receivers.",
			record->percent);
	else if (span_is(name, "pct") || span_is(name, "rf") || span_is(name, "ri"))
		eds_finding_add(ctx, &record->warnings, "dmarc-tag-historic",
			"The tag %s= is no longer part of DMARC and has no effect (RFC 9989); it "
			"may be removed.",
			shown(ctx, name));
	else
		eds_finding_add(ctx, &record->warnings, "dmarc-tag-unknown",
			"The tag %s= is unknown and has no effect; correct its name, or remove it.",
			shown(ctx, name));
}

/* The ABNF permits repeated tags, and no section says which one counts. Here the first one
 * counts, as in parsers that stop at the first match; the later ones are "ignored outright"
 * (section 4.8). */
static void keep_tag(struct rt_ctx *ctx, struct span name, struct span value, struct tags *tags,
	struct eds_dmarc_record *record)
{
	int tag = 0;

	while (tag < TAGS && !span_is(name, tag_names[tag]))
		tag++;
	if (tag == TAGS) {
		warn_unknown_tag(ctx, name, value, record);
	} else if (tags->seen[tag]) {
		eds_finding_add(ctx, &record->warnings, "dmarc-tag-repeated",
			"The tag %s= occurs several times; the first counts here, but receivers "
			"differ. Keep one.",
			tag_names[tag]);
	} else {
		tags->seen[tag] = true;
		tags->values[tag] = value;
	}
}

static void read_tags(
	struct rt_ctx *ctx, struct span rest, struct tags *tags, struct eds_dmarc_record *record)
{
	struct span name;
	struct span value;

	memset(tags, 0, sizeof *tags);
	while (rest.length > 0) {
		struct span part = next_part(&rest, ';');

		if (part.length == 0)
			continue; /* an empty part, as in ";;" or after a final ";" */
		if (split_tag(part, &name, &value))
			keep_tag(ctx, name, value, tags, record);
		else
			eds_finding_add(ctx, &record->warnings, "dmarc-tag-syntax",
				"\"%s\" does not have the form tag=value; write it in this form, "
				"with a semicolon before and after it.",
				shown(ctx, part));
	}
}

static void warn_value(
	struct rt_ctx *ctx, const struct tags *tags, enum tag tag, struct eds_dmarc_record *record)
{
	eds_finding_add(ctx, &record->warnings, "dmarc-tag-invalid",
		"The value \"%s\" of the tag %s= is not valid; correct it, or remove the tag.",
		shown(ctx, tags->values[tag]), tag_names[tag]);
}

/* The index of the tag's value in a list of words; 0, the default, when absent or invalid. */
static int read_choice(struct rt_ctx *ctx, const struct tags *tags, enum tag tag,
	const char *const *words, struct eds_dmarc_record *record)
{
	if (!tags->seen[tag])
		return 0;
	for (int i = 0; words[i]; i++)
		if (span_is(tags->values[tag], words[i]))
			return i;
	warn_value(ctx, tags, tag, record);
	return 0;
}

static void read_choices(
	struct rt_ctx *ctx, const struct tags *tags, struct eds_dmarc_record *record)
{
	static const char *const modes[] = {"r", "s", NULL};
	static const char *const testing[] = {"n", "y", NULL};
	static const char *const psd[] = {"u", "y", "n", NULL};

	record->strict_dkim = read_choice(ctx, tags, TAG_ADKIM, modes, record) == 1;
	record->strict_spf = read_choice(ctx, tags, TAG_ASPF, modes, record) == 1;
	record->testing = read_choice(ctx, tags, TAG_T, testing, record) == 1;
	record->psd = (enum eds_dmarc_psd)read_choice(ctx, tags, TAG_PSD, psd, record);
}

/* Checks fo=: one or more of 0, 1, d and s, with colons between them. */
static void check_fo(struct rt_ctx *ctx, const struct tags *tags, struct eds_dmarc_record *record)
{
	struct span rest = tags->values[TAG_FO];

	if (!tags->seen[TAG_FO])
		return;
	do {
		struct span part = next_part(&rest, ':');

		if (part.length != 1 || strchr("01dsDS", *part.text) == NULL || *part.text == '\0')
			return warn_value(ctx, tags, TAG_FO, record);
	} while (rest.length > 0);
}

/* False when the tag has no valid URI. There is then at least one warning: if the check of the URIs
 * added none, this function adds one about the whole tag. */
static bool read_uri_list(
	struct rt_ctx *ctx, const struct tags *tags, enum tag tag, struct eds_dmarc_record *record)
{
	const struct span *value = &tags->values[tag];
	size_t before = record->warnings.count;
	bool any = eds_dmarc_uris_check(ctx, value->text, value->length, &record->warnings);

	if (!any && record->warnings.count == before)
		warn_value(ctx, tags, tag, record);
	return any;
}

static void read_uris(struct rt_ctx *ctx, const struct tags *tags, struct eds_dmarc_record *record)
{
	if (tags->seen[TAG_RUA])
		record->has_rua = read_uri_list(ctx, tags, TAG_RUA, record);
	if (tags->seen[TAG_RUF])
		read_uri_list(ctx, tags, TAG_RUF, record);
}

/* False when the tag is present but invalid. */
static bool read_policy(struct rt_ctx *ctx, const struct tags *tags, enum tag tag,
	struct eds_dmarc_record *record, enum eds_dmarc_policy *policy)
{
	static const enum eds_dmarc_policy policies[] = {
		EDS_DMARC_P_NONE, EDS_DMARC_P_QUARANTINE, EDS_DMARC_P_REJECT};

	if (!tags->seen[tag])
		return true;
	for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
		if (span_is(tags->values[tag], eds_dmarc_policy_name(policies[i]))) {
			*policy = policies[i];
			return true;
		}
	}
	eds_finding_add(ctx, &record->warnings, "dmarc-tag-invalid",
		"The value \"%s\" of the tag %s= is not valid; write %s=none, %s=quarantine or "
		"%s=reject, with a semicolon after it.",
		shown(ctx, tags->values[tag]), tag_names[tag], tag_names[tag], tag_names[tag],
		tag_names[tag]);
	return false;
}

/* A missing or invalid p, or an invalid sp or np, makes the policy invalid (section 4.10.1). */
static bool read_policies(
	struct rt_ctx *ctx, const struct tags *tags, struct eds_dmarc_record *record)
{
	bool valid = read_policy(ctx, tags, TAG_P, record, &record->p);

	if (!tags->seen[TAG_P]) {
		eds_finding_add(ctx, &record->warnings, "dmarc-policy-missing",
			"The record has no p= tag; add p=none, p=quarantine or p=reject.");
		valid = false;
	}
	record->has_sp = tags->seen[TAG_SP];
	record->has_np = tags->seen[TAG_NP];
	record->sp = record->p;
	valid = read_policy(ctx, tags, TAG_SP, record, &record->sp) && valid;
	record->np = record->sp;
	return read_policy(ctx, tags, TAG_NP, record, &record->np) && valid;
}

enum eds_dmarc_text eds_dmarc_record_read(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_dmarc_record *record)
{
	struct span rest = {text, length};
	struct tags tags;

	memset(record, 0, sizeof *record);
	record->percent = -1;
	if (length == 0 || length > EDS_DMARC_RECORD_MAX || rt_is_wsp(*text) ||
		!is_version(next_part(&rest, ';')))
		return EDS_DMARC_TEXT_OTHER;
	read_tags(ctx, rest, &tags, record);
	read_choices(ctx, &tags, record);
	check_fo(ctx, &tags, record);
	read_uris(ctx, &tags, record);
	if (read_policies(ctx, &tags, record))
		return EDS_DMARC_TEXT_USABLE;
	/* Treats the record as a plain p=none if it has a valid rua, so that reports can tell the
	 * owner about the fault. */
	record->p = record->sp = record->np = EDS_DMARC_P_NONE;
	record->has_sp = record->has_np = false;
	return record->has_rua ? EDS_DMARC_TEXT_USABLE : EDS_DMARC_TEXT_UNUSABLE;
}

bool eds_dmarc_record_parse(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_dmarc_record *record)
{
	return eds_dmarc_record_read(ctx, text, length, record) == EDS_DMARC_TEXT_USABLE;
}
