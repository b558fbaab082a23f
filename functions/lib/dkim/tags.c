#include "functions/lib/dkim/tags.h"

#include <string.h>

#include "runtime/text/ascii.h"

/* The offset after white space and folding. A line end is folding only when white space follows it.
 * A bare LF is accepted for messages stored with LF line ends. */
static size_t skip_fws(const char *text, size_t length, size_t at)
{
	for (;;) {
		size_t end = at;

		if (end < length && text[end] == '\r')
			end++;
		if (end < length && text[end] == '\n')
			end++;
		else
			end = at;
		if (end >= length || !rt_is_wsp(text[end]))
			return at;
		at = end + 1;
	}
}

static bool is_name_char(char c)
{
	return rt_is_alpha(c) || (c >= '0' && c <= '9') || c == '_';
}

/* True for VALCHAR (RFC 6376 section 3.2), and for UTF-8 of internationalized mail (RFC 8616). */
static bool is_value_char(char c)
{
	unsigned char octet = (unsigned char)c;

	return octet > ' ' && octet != ';' && octet != 127;
}

static size_t read_value(const char *text, size_t length, size_t at, struct eds_tag *tag)
{
	size_t end = at;

	tag->value = text + at;
	while (at < length && is_value_char(text[at])) {
		while (at < length && is_value_char(text[at]))
			at++;
		end = at;
		at = skip_fws(text, length, at);
	}
	tag->value_length = (size_t)(text + end - tag->value);
	return at;
}

/* Reads a tag-spec; moves *at past it, or on an error to the place of the error. */
static bool read_tag(const char *text, size_t length, size_t *at, struct eds_tag *tag)
{
	size_t start = *at;

	if (start == length || !rt_is_alpha(text[start]))
		return false;
	while (*at < length && is_name_char(text[*at]))
		++*at;
	tag->name = text + start;
	tag->name_length = *at - start;
	*at = skip_fws(text, length, *at);
	if (*at == length || text[*at] != '=')
		return false;
	*at = read_value(text, length, skip_fws(text, length, *at + 1), tag);
	return *at == length || text[*at] == ';';
}

static const struct eds_tag *find(const struct eds_tags *tags, const char *name, size_t length)
{
	for (size_t i = 0; i < tags->count; i++)
		if (tags->items[i].name_length == length &&
			memcmp(tags->items[i].name, name, length) == 0)
			return &tags->items[i];
	return NULL;
}

enum eds_tags_state eds_tags_read(const char *text, size_t length, struct eds_tags *tags)
{
	size_t at = skip_fws(text, length, 0);

	tags->count = 0;
	do {
		struct eds_tag tag;
		size_t start = at;

		tags->at = start;
		if (!read_tag(text, length, &at, &tag)) {
			tags->at = at;
			return EDS_TAGS_SYNTAX;
		}
		if (find(tags, tag.name, tag.name_length))
			return EDS_TAGS_DUPLICATE;
		if (tags->count == EDS_TAGS_MAX)
			return EDS_TAGS_TOO_MANY;
		tags->items[tags->count++] = tag;
		if (at < length) /* the semicolon, which may also follow the last tag */
			at = skip_fws(text, length, at + 1);
	} while (at < length);
	return EDS_TAGS_OK;
}

const struct eds_tag *eds_tags_find(const struct eds_tags *tags, const char *name)
{
	return find(tags, name, strlen(name));
}

bool eds_tag_is(const struct eds_tag *tag, const char *text)
{
	return tag->value_length == strlen(text) &&
		memcmp(tag->value, text, tag->value_length) == 0;
}

char *eds_tag_text(struct rt_ctx *ctx, const struct eds_tag *tag)
{
	return tag ? rt_memdup(ctx, tag->value, tag->value_length) : NULL;
}

char *eds_tag_packed(struct rt_ctx *ctx, const struct eds_tag *tag)
{
	char *packed = rt_alloc(ctx, tag->value_length + 1);
	size_t used = 0;

	for (size_t i = 0; i < tag->value_length; i++)
		if (is_value_char(tag->value[i]))
			packed[used++] = tag->value[i];
	return packed;
}

bool eds_tag_lists(struct rt_ctx *ctx, const struct eds_tag *tag, const char *item)
{
	const char *at = eds_tag_packed(ctx, tag);
	size_t length = strlen(item);

	for (;;) {
		size_t size = strcspn(at, ":");

		if (size == length && memcmp(at, item, length) == 0)
			return true;
		if (at[size] == '\0')
			return false;
		at += size + 1;
	}
}
