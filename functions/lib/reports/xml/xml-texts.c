#include "functions/lib/reports/xml/xml-texts.h"

#include <string.h>

#include "functions/lib/reports/xml/xml.h"

static const char end_tag[] = "</feedback>";

enum { TAG_BYTES = sizeof end_tag - 1 };

/* The octets of one text. */
struct text_source {
	struct eds_source source; /* must be the first member, because pull_text() casts a pointer
				   * to this member to a pointer to the whole struct */
	struct eds_source *below;
	const char *left; /* octets of the latest block of `below` that have not been given yet */
	size_t length;
	size_t matched; /* number of octets of end_tag with which the octets given so far end */
	bool ended;     /* the whole end tag has been given */
};

/* Compares an octet with the next one of the end tag, which has "<" only at its beginning; true
 * when the tag is complete. */
static bool match(struct text_source *text, char octet)
{
	if (octet == end_tag[text->matched])
		text->matched++;
	else
		text->matched = octet == end_tag[0];
	return text->matched == TAG_BYTES;
}

/* The number of octets up to the end of the end tag; the number of all octets when that end is not
 * among them. */
static size_t through_end(struct text_source *text)
{
	const char *left = text->left;
	size_t at = 0;
	const char *found;

	while (text->matched > 0 && at < text->length && !text->ended)
		text->ended = match(text, left[at++]);
	if (text->ended)
		return at;
	found = memmem(left + at, text->length - at, end_tag, TAG_BYTES);
	text->ended = found != NULL;
	if (text->ended)
		return (size_t)(found - left) + TAG_BYTES;
	if (text->length - at > TAG_BYTES)
		at = text->length - TAG_BYTES;
	while (at < text->length)
		match(text, left[at++]);
	return at;
}

static bool has_left(struct text_source *text)
{
	if (text->length == 0)
		text->length = eds_source_read(text->below, &text->left);
	return text->length > 0;
}

static size_t pull_text(struct eds_source *source, const char **block)
{
	struct text_source *text = (struct text_source *)source;
	size_t length;

	if (text->ended)
		return 0;
	if (!has_left(text)) {
		source->fault = text->below->fault;
		return 0;
	}
	length = through_end(text);
	*block = text->left;
	text->left += length;
	text->length -= length;
	return length;
}

/* Skips white space and byte order marks; true when another text follows. */
static bool follows(struct text_source *text)
{
	static const char skipped[] = " \t\r\n\xef\xbb\xbf";

	while (has_left(text)) {
		if (memchr(skipped, *text->left, sizeof skipped - 1) == NULL)
			return *text->left == '<';
		text->left++;
		text->length--;
	}
	return false;
}

static bool may_go_on(struct eds_intake *intake, const char *file)
{
	if (eds_intake_member(intake))
		return true;
	eds_intake_pass_over(intake, EDS_FAULT_ARCHIVE_MEMBERS, NULL, file);
	return false;
}

void eds_xml_texts_read(struct eds_intake *intake, struct eds_source *source, const char *file)
{
	struct text_source text = {.below = source};

	do {
		text.source = (struct eds_source){.pull = pull_text};
		text.matched = 0;
		text.ended = false;
		eds_xml_read(intake, &text.source, file);
		if (!eds_intake_goes_on(intake))
			return;
		eds_source_drain(&text.source);
	} while (follows(&text) && may_go_on(intake, file));
}
