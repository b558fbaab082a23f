#include "runtime/s3/list.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/text/hex.h"

enum {
	TAG_BYTES_MAX = 64,
	TOKEN_BYTES_MAX = 4096,
};

struct span {
	const char *at;
	const char *end;
};

static const char *find(const struct span *in, const char *text)
{
	return memmem(in->at, (size_t)(in->end - in->at), text, strlen(text));
}

/* Finds the text between <name> and </name>, and moves `in` past it. False if there is none. */
static bool next_element(
	struct rt_ctx *ctx, struct span *in, const char *name, struct span *content)
{
	const char *opening = rt_printf(ctx, "<%.*s>", TAG_BYTES_MAX, name);
	const char *closing = rt_printf(ctx, "</%.*s>", TAG_BYTES_MAX, name);
	const char *begin = find(in, opening);

	if (begin == NULL)
		return false;
	content->at = begin + strlen(opening);
	content->end = in->end;
	content->end = find(content, closing);
	if (content->end == NULL)
		return false;
	in->at = content->end + strlen(closing);
	return true;
}

/* Decodes a key; NULL when its percent-encoding is invalid or it contains a NUL. */
static const char *decode_key(struct rt_ctx *ctx, const struct span *text)
{
	char *key = rt_alloc(ctx, (size_t)(text->end - text->at) + 1);
	char *to = key;

	for (const char *from = text->at; from < text->end; from++) {
		int value = (unsigned char)*from;

		if (*from == '+')
			value = ' ';
		if (*from == '%') {
			if (text->end - from < 3 || rt_hex_value(from[1]) < 0 ||
				rt_hex_value(from[2]) < 0)
				return NULL;
			value = rt_hex_value(from[1]) * 16 + rt_hex_value(from[2]);
			from += 2;
		}
		if (value == 0)
			return NULL;
		*to++ = (char)value;
	}
	*to = '\0';
	return key;
}

static bool read_object(struct rt_ctx *ctx, const struct span *contents, struct s3_object *object)
{
	struct span in = *contents;
	struct span key;
	struct span modified;

	if (!next_element(ctx, &in, "Key", &key) || key.end - key.at > S3_LIST_KEY_BYTES_MAX)
		return false;
	in = *contents;
	if (!next_element(ctx, &in, "LastModified", &modified))
		return false;
	object->key = decode_key(ctx, &key);
	return object->key != NULL &&
		rt_time_parse(rt_memdup(ctx, modified.at, (size_t)(modified.end - modified.at)),
			&object->modified_at_ms);
}

/* True for a valid token: letters, digits and signs that XML does not escape. */
static bool is_token(const struct span *text)
{
	for (const char *at = text->at; at < text->end; at++)
		if (*at <= ' ' || *at > '~' || *at == '&')
			return false;
	return text->at < text->end && text->end - text->at <= TOKEN_BYTES_MAX;
}

static bool read_next(struct rt_ctx *ctx, const struct span *all, struct s3_page *page)
{
	struct span in = *all;
	struct span truncated;
	struct span token;

	if (!next_element(ctx, &in, "IsTruncated", &truncated))
		return false;
	if (truncated.end - truncated.at != 4 || memcmp(truncated.at, "true", 4) != 0)
		return true;
	in = *all;
	if (!next_element(ctx, &in, "NextContinuationToken", &token) || !is_token(&token))
		return false;
	page->next = rt_memdup(ctx, token.at, (size_t)(token.end - token.at));
	return true;
}

bool s3_list_parse(struct rt_ctx *ctx, const char *xml, size_t length, struct s3_page *page)
{
	const struct span all = {xml, xml + length};
	struct span in = all;
	struct span contents;

	page->count = 0;
	page->next = NULL;
	if (find(&all, "<ListBucketResult") == NULL || !read_next(ctx, &all, page))
		return false;
	while (next_element(ctx, &in, "Contents", &contents)) {
		if (page->count == S3_LIST_KEYS_MAX ||
			!read_object(ctx, &contents, &page->objects[page->count]))
			return false;
		page->count++;
	}
	return true;
}
