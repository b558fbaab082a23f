#include <string.h>
#include <strings.h>

#include "functions/lib/dkim/dkim-feed-header.h"
#include "functions/lib/dkim/dkim-feed.h"
#include "runtime/text/ascii.h"

static const char *const SIGNATURE_NAME = "DKIM-Signature";

static bool is_named(const struct eds_field *field, const char *name, size_t length)
{
	return field->name_length == length && strncasecmp(field->name, name, length) == 0;
}

/* True for a field that contains a bare CR, or a control character that the library takes for white
 * space or for the end of the text. */
static bool is_treacherous(const struct eds_field *field)
{
	const char *end = field->value + field->value_length;

	for (const char *at = field->name; at < end; at++)
		if (*at == '\0' || *at == '\v' || *at == '\f' ||
			(*at == '\r' && (at + 1 == end || at[1] != '\n')))
			return true;
	return false;
}

/* Writes a field in relaxed canonicalization (section 3.4.2): name in lower case, no white space
 * around the colon, unfolded, each run of white space reduced to one space, none at the end. */
static size_t relax(const struct eds_field *field, char *out)
{
	size_t used = 0;
	bool space = false;

	for (size_t i = 0; i < field->name_length; i++) {
		char c = field->name[i];

		out[used++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	out[used++] = ':';
	for (size_t i = 0; i < field->value_length; i++) {
		char c = field->value[i];

		if (c == '\r' || c == '\n')
			continue;
		if (rt_is_wsp(c)) {
			space = true;
			continue;
		}
		if (space && used > field->name_length + 1)
			out[used++] = ' ';
		space = false;
		out[used++] = c;
	}
	return used;
}

/* Writes a field in simple canonicalization (section 3.4.1): unchanged, with CRLF at the ends of
 * lines. */
static size_t keep(const struct eds_field *field, char *out)
{
	const char *end = field->value + field->value_length;
	size_t used = 0;

	for (const char *at = field->name; at < end; at++) {
		if (*at == '\n' && at[-1] != '\r')
			out[used++] = '\r';
		out[used++] = *at;
	}
	return used;
}

static void feed_field(
	struct rt_ctx *ctx, struct eds_feed *feed, const struct eds_field *field, bool relaxed)
{
	size_t size = (size_t)(field->value - field->name) + field->value_length;
	char *text = rt_alloc(ctx, 2 * size + 2);
	size_t length = relaxed ? relax(field, text) : keep(field, text);

	feed->fields[feed->count++] = (struct eds_feed_field){text, length};
	feed->bytes += length;
	if (is_treacherous(field))
		feed->limit = "A signed header field has a NUL, a control character or a bare CR "
			      "in it.";
}

/* The library also parses other signatures that h= covers, so these must be tag lists, and the same
 * limits apply to their h= and i= as to those of the signature itself. It does not matter whether
 * these other signatures can be valid. */
static bool is_harmless(const struct eds_field *field)
{
	struct eds_tags tags;
	const struct eds_tag *identity;
	const struct eds_tag *names;

	if (eds_tags_read(field->value, field->value_length, &tags) != EDS_TAGS_OK)
		return false;
	identity = eds_tags_find(&tags, "i");
	names = eds_tags_find(&tags, "h");
	return (!identity || identity->value_length <= EDS_FEED_IDENTITY_MAX) &&
		(!names || names->value_length <= EDS_FEED_NAMES_BYTES_MAX);
}

/* Each name in h= selects the lowest field of that name that is not selected yet (section 5.4.2);
 * the signature itself is never selected. Returns one flag for each field of the header: true when
 * it is selected. */
static bool *select_fields(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_signature *signature, struct eds_feed *feed)
{
	bool *taken = rt_alloc_array(ctx, header->count + 1, sizeof *taken);

	for (size_t n = 0; n < signature->signed_count; n++) {
		const struct eds_signed_name *name = &signature->signed_names[n];
		size_t i = header->count;

		while (i > 0 &&
			(taken[i - 1] || &header->fields[i - 1] == signature->field ||
				!is_named(&header->fields[i - 1], name->name, name->length)))
			i--;
		if (i > 0)
			taken[i - 1] = true;
		else if (name->length == strlen(SIGNATURE_NAME) &&
			strncasecmp(name->name, SIGNATURE_NAME, name->length) == 0)
			feed->limit =
				"h= names DKIM-Signature more often than the header has other "
				"signatures.";
	}
	return taken;
}

/* The library takes a tag for b= when its equals sign directly follows a b. So b= itself must have
 * no space before its equals sign, and every other tag whose name ends with b must have a space
 * there. */
static bool finds_signature_tag(const struct eds_signature *signature)
{
	for (size_t i = 0; i < signature->tags.count; i++) {
		const struct eds_tag *tag = &signature->tags.items[i];
		bool ends_with_b = tag->name[tag->name_length - 1] == 'b';
		bool adjacent = tag->name[tag->name_length] == '=';

		if (ends_with_b && adjacent != (tag->name_length == 1))
			return false;
	}
	return true;
}

static void check_signature(const struct eds_signature *signature, struct eds_feed *feed)
{
	size_t names = 0;

	for (size_t i = 0; i < signature->signed_count; i++)
		names += signature->signed_names[i].length + 1;
	if (names > EDS_FEED_NAMES_BYTES_MAX)
		feed->limit = "h= is longer than 4000 characters.";
	else if (eds_tags_find(&signature->tags, "i") &&
		eds_tags_find(&signature->tags, "i")->value_length > EDS_FEED_IDENTITY_MAX)
		feed->limit = "i= is longer than 255 characters.";
	else if (!finds_signature_tag(signature))
		feed->limit = "The b= tag is written in an unusual way, which the verifier could "
			      "misread.";
}

void eds_feed_header(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_signature *signature, struct eds_feed *feed)
{
	const bool *taken;

	*feed = (struct eds_feed){.limit = ""};
	feed->fields = rt_alloc_array(ctx, header->count + 1, sizeof *feed->fields);
	check_signature(signature, feed);
	if (*feed->limit)
		return;
	taken = select_fields(ctx, header, signature, feed);
	feed_field(ctx, feed, signature->field, signature->relaxed_header);
	for (size_t i = 0; i < header->count; i++) {
		const struct eds_field *field = &header->fields[i];

		if (!taken[i])
			continue;
		if (is_named(field, SIGNATURE_NAME, strlen(SIGNATURE_NAME)) && !is_harmless(field))
			feed->limit = "The signature covers another signature that cannot be read.";
		feed_field(ctx, feed, field, signature->relaxed_header);
	}
	if (feed->bytes > EDS_DKIM_HEADERS_BYTES_MAX)
		feed->limit = "The signed header fields are longer than 64 KiB.";
}
