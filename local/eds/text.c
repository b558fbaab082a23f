#include "local/eds/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "runtime/text/utf8.h"

static const char ellipsis[] = "\xe2\x80\xa6";

static void add_clean(struct rt_buffer *out, const char *text, size_t length, enum cli_lines lines)
{
	char c = *text;

	if (lines == CLI_MANY_LINES && c == '\n')
		rt_buffer_add(out, text, 1);
	else if (c == '\n' || c == '\t' || c == '\r')
		rt_buffer_text(out, " ");
	else if (length == 0 || rt_utf8_is_harmful(rt_utf8_code(text, length)))
		rt_buffer_text(out, RT_UTF8_REPLACEMENT);
	else
		rt_buffer_add(out, text, length);
}

char *cli_clean(struct rt_ctx *ctx, const char *text, size_t length, enum cli_lines lines)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, SIZE_MAX / 8);
	for (size_t i = 0; i < length;) {
		size_t octets = rt_utf8_length(text + i, length - i);

		add_clean(&out, text + i, octets, lines);
		i += octets > 0 ? octets : 1;
	}
	return out.bytes;
}

char *cli_clean_json(struct rt_ctx *ctx, const char *json, size_t length)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, SIZE_MAX / 8);
	for (size_t i = 0; i < length;) {
		size_t octets = rt_utf8_length(json + i, length - i);
		uint32_t code = octets > 0 ? rt_utf8_code(json + i, octets) : 0;

		if (code == '\n' || code == '\t' || (code != '\r' && !rt_utf8_is_harmful(code)))
			rt_buffer_add(&out, json + i, octets);
		else if (code >= 0x7f)
			rt_buffer_format(&out, "\\u%04x", (unsigned)code);
		i += octets > 0 ? octets : 1;
	}
	return out.bytes;
}

/* The number of terminal columns that a character takes; 1 for a character that the C library does
 * not know. */
static size_t columns_of(uint32_t code)
{
	int columns = wcwidth((wchar_t)code);

	return columns < 0 ? 1 : (size_t)columns;
}

/* The length, in octets, of the longest beginning of the text that takes at most max columns. */
static size_t octets_within(const char *text, size_t max, size_t *columns)
{
	size_t left = strlen(text);
	size_t octets = 0;

	*columns = 0;
	while (octets < left) {
		size_t one = rt_utf8_length(text + octets, left - octets);
		size_t width = one > 0 ? columns_of(rt_utf8_code(text + octets, one)) : 1;

		if (*columns + width > max)
			break;
		*columns += width;
		octets += one > 0 ? one : 1;
	}
	return octets;
}

size_t cli_columns(const char *text)
{
	size_t columns;

	octets_within(text, SIZE_MAX / 2, &columns);
	return columns;
}

char *cli_cut(struct rt_ctx *ctx, const char *text, size_t columns)
{
	size_t taken;

	if (cli_columns(text) <= columns)
		return rt_strdup(ctx, text);
	return rt_printf(
		ctx, "%.*s%s", (int)octets_within(text, columns - 1, &taken), text, ellipsis);
}

static void add_spaces(struct rt_buffer *out, size_t count)
{
	while (count-- > 0)
		rt_buffer_add(out, " ", 1);
}

void cli_wrap(struct rt_buffer *out, const char *text, size_t indent, size_t width)
{
	size_t column = 0;

	for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
		size_t octets = strcspn(text, " ");
		size_t columns = cli_columns(rt_memdup(out->ctx, text, octets));

		if (column > 0 && column + 1 + columns > width) {
			rt_buffer_text(out, "\n");
			column = 0;
		}
		add_spaces(out, column == 0 ? indent : 1);
		column += columns + (column == 0 ? indent : 1);
		rt_buffer_add(out, text, octets);
		text += octets;
	}
	rt_buffer_text(out, "\n");
}
