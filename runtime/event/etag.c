#include "runtime/event/etag.h"

#include <string.h>

#include "runtime/text/hex.h"

enum {
	LANES = 4,
	LONG_BYTES = 1024,
};

/* Adds a word to the hash. For a given word the step is a bijection, so no bits of the earlier
 * value are lost. */
static uint64_t mix(uint64_t value, uint64_t word)
{
	value = (value ^ word) * 0xff51afd7ed558ccdu;
	return value ^ value >> 32;
}

/* Hashes a long text in four lanes. A step must wait for the previous step of its own lane only, so
 * the processor works on four steps at the same time. */
static uint64_t hash_lanes(uint64_t value, const char **bytes, size_t *length)
{
	uint64_t lanes[LANES] = {value, value + 1, value + 2, value + 3};

	for (; *length >= sizeof lanes; *bytes += sizeof lanes, *length -= sizeof lanes) {
		uint64_t words[LANES];

		memcpy(words, *bytes, sizeof words);
		for (int i = 0; i < LANES; i++)
			lanes[i] = mix(lanes[i], words[i]);
	}
	for (int i = 1; i < LANES; i++)
		lanes[0] = mix(lanes[0], lanes[i]);
	return lanes[0];
}

static uint64_t hash(const char *bytes, size_t length)
{
	uint64_t value = 0x9e3779b97f4a7c15u ^ length;
	uint64_t word = 0;

	if (length >= LONG_BYTES)
		value = hash_lanes(value, &bytes, &length);
	for (; length >= sizeof word; bytes += sizeof word, length -= sizeof word) {
		memcpy(&word, bytes, sizeof word);
		value = mix(value, word);
	}
	word = 0;
	memcpy(&word, bytes, length);
	return mix(value, word);
}

const char *rt_etag(struct rt_ctx *ctx, const char *bytes, size_t length)
{
	static const char form[] = "\"0000000000000000\"";
	uint64_t version = hash(bytes, length);
	char *tag = rt_memdup(ctx, form, sizeof form - 1);

	for (char *at = tag + sizeof form - 3; at > tag; at--, version >>= 4)
		*at = rt_hex_digit((unsigned)version);
	return tag;
}

const char *rt_etag_of_both(struct rt_ctx *ctx, const char *settings, const char *body)
{
	return rt_printf(ctx, "%.*s.%s", (int)strlen(settings) - 1, settings, body + 1);
}

/* One tag of a list such as If-None-Match; text and length include the quotes but not W/. */
struct tag {
	const char *text;
	size_t length;
	bool weak;
};

/* The characters allowed between the quotes (RFC 9110 section 8.8.3). */
static bool is_tag_character(char c)
{
	return c == '!' || (c > '"' && c <= '~') || (unsigned char)c >= 0x80;
}

/* Reads a tag and moves *at past it; false when there is none. */
static bool read_tag(const char **at, struct tag *tag)
{
	const char *end;

	tag->weak = strncmp(*at, "W/", 2) == 0;
	tag->text = tag->weak ? *at + 2 : *at;
	if (*tag->text != '"')
		return false;
	for (end = tag->text + 1; is_tag_character(*end); end++)
		;
	tag->length = (size_t)(end + 1 - tag->text);
	*at = end + 1;
	return *end == '"';
}

/* True if the tag names the same version as etag. For the etag "abc" these are the tags "abc" and
 * "abc-gzip"; if of_settings is true, also each two-part tag that begins with "abc.". */
static bool is_version(const struct tag *tag, const char *etag, bool of_settings)
{
	static const char packed[] = "-gzip\"";
	size_t length = strlen(etag) - 1;

	if (strncmp(tag->text, etag, length) != 0)
		return false;
	if (of_settings && tag->text[length] == '.')
		return true;
	return tag->length == length + 1 ? tag->text[length] == '"'
					 : tag->length == length + sizeof packed - 1 &&
			memcmp(tag->text + length, packed, sizeof packed - 1) == 0;
}

static const char *skip_spaces(const char *at)
{
	return at + strspn(at, " \t");
}

enum rt_etag_found rt_etag_find(
	struct rt_ctx *ctx, const char *list, const char *etag, bool weakly, const char **listed)
{
	enum rt_etag_found found = RT_ETAG_OTHER;
	struct tag tag;

	if (listed != NULL)
		*listed = etag;
	list = skip_spaces(list);
	if (*list == '*')
		return *skip_spaces(list + 1) == '\0' ? RT_ETAG_LISTED : RT_ETAG_INVALID;
	while (read_tag(&list, &tag)) {
		if (found == RT_ETAG_OTHER && (weakly || !tag.weak) &&
			is_version(&tag, etag, !weakly)) {
			found = RT_ETAG_LISTED;
			if (listed != NULL)
				*listed = rt_memdup(ctx, tag.text, tag.length);
		}
		list = skip_spaces(list);
		if (*list == '\0')
			return found;
		if (*list != ',')
			break;
		list += strspn(list, ", \t");
		if (*list == '\0')
			return found;
	}
	return RT_ETAG_INVALID;
}
