#include "functions/lib/shape/encoded-words.h"
#include "functions/lib/shape/part-decode.h"
#include "runtime/buffer.h"

#include <string.h>

enum { TEXT_MAX = 4 * 1024 }; /* maximum number of octets of one decoded text */

/* Decodes one encoded word, =?charset?B?text?= (RFC 2047 section 2); false when none begins at
 * *at. */
static bool decode_word(struct rt_buffer *out, const char **at)
{
	const char *charset = *at + 2;
	const char *kind = strncmp(*at, "=?", 2) == 0 ? strchr(charset, '?') : NULL;
	const char *text = kind == NULL || kind[1] == '\0' || kind[2] != '?' ? NULL : kind + 3;
	const char *end = text == NULL ? NULL : strstr(text, "?=");
	bool base64;
	size_t length;
	char *room;

	if (end == NULL || strchr("bBqQ", kind[1]) == NULL)
		return false;
	base64 = kind[1] == 'b' || kind[1] == 'B';
	length = (size_t)(end - text);
	room = rt_buffer_room(out, length);
	if (room == NULL)
		return false;
	rt_buffer_used(out,
		eds_part_decode(base64 ? EDS_PART_BASE64 : EDS_PART_QUOTED_PRINTABLE, text, length,
			room, length));
	for (char *c = room; !base64 && c < out->bytes + out->length; c++)
		if (*c == '_')
			*c = ' ';
	*at = end + 2;
	return true;
}

const char *eds_encoded_words(struct rt_ctx *ctx, const char *text)
{
	struct rt_buffer out;

	if (strstr(text, "=?") == NULL)
		return text;
	rt_buffer_init(&out, ctx, TEXT_MAX);
	while (*text != '\0') {
		if (decode_word(&out, &text)) {
			const char *next = text + strspn(text, " \t");

			if (strncmp(next, "=?", 2) == 0)
				text = next;
		} else {
			rt_buffer_add(&out, text++, 1);
		}
	}
	return rt_strdup(ctx, out.bytes); /* the copy ends at an encoded NUL */
}
