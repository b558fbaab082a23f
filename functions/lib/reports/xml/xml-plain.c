#include "functions/lib/reports/xml/xml-plain.h"

#include <string.h>

#include "functions/lib/reports/text.h"

enum {
	TEXT_BYTES_MAX = 512, /* maximum number of octets of one text in a plain record; the texts
			       * that are kept of a record are shorter */
};

/* An element whose end tag has not come. */
struct open_element {
	const char *name;
	size_t length;
	enum eds_aggregate_element element;
};

struct reading {
	struct eds_aggregate *aggregate;
	const char *at;
	const char *last; /* the last '<' among the octets; it stops every search for the end of a
			   * name or text before it */
	const char *limit;
	const char *text; /* the text after the last tag */
	bool has_return;  /* the text has a carriage return, which the parser leaves out */
	size_t lines;
	size_t depth;
	struct open_element open[EDS_XML_PLAIN_DEPTH_MAX];
	char copy[TEXT_BYTES_MAX + 1]; /* a copy of the text, with a NUL at its end */
};

/* The octets that plain text may have: the tab, and printable ASCII without &, < and ]. A ] is left
 * to the parser, because "]]>" is forbidden in text. Line ends are handled separately, because they
 * are counted. */
static const bool is_text[256] = {
	['\t'] = true,
	[' ' ... '%'] = true,
	['&' + 1 ... '<' - 1] = true,
	['<' + 1 ... ']' - 1] = true,
	[']' + 1 ... '~'] = true,
};

static const bool is_name[256] = {
	['0' ... '9'] = true,
	['A' ... 'Z'] = true,
	['a' ... 'z'] = true,
	['_'] = true,
};

static bool is_in(const bool set[256], char octet)
{
	return set[(unsigned char)octet];
}

/* Moves to the next tag and checks the text before it. */
static enum eds_xml_plain pass_text(struct reading *r)
{
	r->text = r->at;
	r->has_return = false;
	for (;;) {
		while (is_in(is_text, *r->at))
			r->at++;
		if (*r->at == '<')
			return EDS_XML_PLAIN_READ;
		if (r->at[0] == '\r' && r->at[1] == '\n') {
			r->has_return = true;
			r->at++;
		}
		if (*r->at++ != '\n')
			return EDS_XML_PLAIN_OTHER;
		r->lines++;
	}
}

static enum eds_xml_plain end_element(struct reading *r, const char *text, size_t length)
{
	enum eds_aggregate_element element = r->open[--r->depth].element;

	/* When a signature is added to a full aggregate, the aggregate counts the signatures that
	 * it already has. That must not happen yet, because this record may still turn out not to
	 * be plain. */
	if (element == EDS_ELEMENT_DKIM &&
		r->aggregate->signature_count == EDS_AGGREGATE_SIGNATURES)
		return EDS_XML_PLAIN_OTHER;
	if (element > EDS_ELEMENT_FEEDBACK)
		eds_aggregate_end(r->aggregate, element, text, length);
	return EDS_XML_PLAIN_READ;
}

static enum eds_xml_plain end_text(struct reading *r, const char *tag)
{
	size_t length = (size_t)(tag - r->text);
	const char *text = eds_text_trim(r->text, &length);

	if (r->has_return || length > TEXT_BYTES_MAX)
		return EDS_XML_PLAIN_OTHER;
	memcpy(r->copy, text, length);
	r->copy[length] = '\0';
	return end_element(r, r->copy, length);
}

static enum eds_xml_plain read_end_tag(struct reading *r)
{
	const char *tag = r->at;
	const struct open_element *open = &r->open[r->depth - 1];

	r->at += 2;
	if ((size_t)(r->last - r->at) <= open->length)
		return EDS_XML_PLAIN_CUT;
	if (r->at[open->length] != '>' || memcmp(r->at, open->name, open->length) != 0)
		return EDS_XML_PLAIN_OTHER;
	r->at += open->length + 1;
	return open->element >= EDS_ELEMENT_TEXT ? end_text(r, tag) : end_element(r, "", 0);
}

static enum eds_xml_plain read_start_tag(struct reading *r)
{
	struct open_element *open = &r->open[r->depth];
	enum eds_aggregate_element parent = r->open[r->depth - 1].element;
	const char *name = ++r->at;
	bool empty;

	while (is_in(is_name, *r->at))
		r->at++;
	empty = r->at[0] == '/';
	if (r->at == name || (*name >= '0' && *name <= '9') || r->at[empty] != '>' ||
		r->depth == EDS_XML_PLAIN_DEPTH_MAX)
		return EDS_XML_PLAIN_OTHER;
	open->name = name;
	open->length = (size_t)(r->at - name);
	open->element = eds_aggregate_child(parent, name, open->length);
	r->depth++;
	r->at += empty ? 2 : 1;
	eds_aggregate_begin(r->aggregate, open->element);
	return empty ? end_element(r, "", 0) : EDS_XML_PLAIN_READ;
}

/* Reads a tag only when another one follows, so that no comparison reads beyond the octets. */
static enum eds_xml_plain read_tag(struct reading *r)
{
	enum eds_xml_plain result = pass_text(r);

	if (result != EDS_XML_PLAIN_READ)
		return result;
	if (r->at > r->limit)
		return EDS_XML_PLAIN_OTHER;
	if (r->at == r->last)
		return EDS_XML_PLAIN_CUT;
	return r->at[1] == '/' ? read_end_tag(r) : read_start_tag(r);
}

static enum eds_xml_plain read_elements(struct reading *r)
{
	enum eds_xml_plain result = EDS_XML_PLAIN_READ;

	while (result == EDS_XML_PLAIN_READ && r->depth > 0)
		result = read_tag(r);
	return result;
}

/* Reads the start tag of the record; the octets may end within this tag. */
static enum eds_xml_plain open_record(struct reading *r, const char *end)
{
	static const char tag[] = EDS_XML_PLAIN_TAG;
	size_t left = (size_t)(end - r->at);
	size_t length = sizeof tag - 1;

	if (memcmp(r->at, tag, left < length ? left : length) != 0)
		return EDS_XML_PLAIN_OTHER;
	if (left < length || r->at == r->last)
		return EDS_XML_PLAIN_CUT;
	r->open[r->depth++] = (struct open_element){r->at + 1, length - 2, EDS_ELEMENT_RECORD};
	r->at += length;
	eds_aggregate_begin(r->aggregate, EDS_ELEMENT_RECORD);
	return EDS_XML_PLAIN_READ;
}

enum eds_xml_plain eds_xml_plain_record(struct eds_aggregate *aggregate, const char *bytes,
	size_t length, struct eds_xml_plain_extent *extent)
{
	struct reading reading = {.aggregate = aggregate,
		.at = bytes,
		.last = memrchr(bytes, '<', length),
		.limit = bytes + EDS_XML_PLAIN_BYTES_MAX};
	enum eds_xml_plain result;

	if (reading.last == NULL)
		return EDS_XML_PLAIN_CUT;
	result = pass_text(&reading);
	if (result == EDS_XML_PLAIN_READ)
		result = open_record(&reading, bytes + length);
	if (result == EDS_XML_PLAIN_READ)
		result = read_elements(&reading);
	*extent = (struct eds_xml_plain_extent){(size_t)(reading.at - bytes), reading.lines};
	return result;
}
