#include "functions/lib/mail/header.h"

#include <string.h>
#include <strings.h>

#include "runtime/text/ascii.h"

enum {
	TEXT_MAX = 8 * 1024,
};

static const char TOO_LONG[] = "The header is longer than 256 KiB; the rest was not read.";
static const char TOO_MANY[] = "The header has more than 1000 fields; the rest was not read.";
static const char FIELD_TOO_LONG[] = "A header field is longer than 32 KiB; this field and the "
				     "rest of the header were not read.";

/* The offset after the line that begins at offset. */
static size_t next_line(const char *message, size_t length, size_t offset)
{
	const char *end = memchr(message + offset, '\n', length - offset);

	return end ? (size_t)(end - message) + 1 : length;
}

static bool is_empty_line(const char *message, size_t offset, size_t next)
{
	size_t size = next - offset;

	return (size == 1 && message[offset] == '\n') ||
		(size == 2 && message[offset] == '\r' && message[offset + 1] == '\n');
}

/* The offset after a field, including its continuation lines (RFC 5322 section 2.2.3). */
static size_t next_field(const char *message, size_t length, size_t offset)
{
	do
		offset = next_line(message, length, offset);
	while (offset < length && rt_is_wsp(message[offset]));
	return offset;
}

/* Splits "Name: value". Space between name and colon is obsolete but legal (section 4.5). */
static bool field_split(const char *text, size_t length, struct eds_field *field)
{
	size_t name = 0;
	size_t colon;

	while (name < length && text[name] > ' ' && text[name] < 127 && text[name] != ':')
		name++;
	colon = name;
	while (colon < length && rt_is_wsp(text[colon]))
		colon++;
	if (name == 0 || colon == length || text[colon] != ':')
		return false;
	if (text[length - 1] == '\n')
		length--;
	if (text[length - 1] == '\r')
		length--;
	*field = (struct eds_field){text, name, text + colon + 1, length - colon - 1};
	return true;
}

static void field_keep(struct rt_ctx *ctx, struct eds_header *header, const struct eds_field *field)
{
	if (header->count == EDS_HEADER_FIELDS_MAX) {
		header->limit = TOO_MANY;
		return;
	}
	header->fields = rt_grow(
		ctx, header->fields, header->count, &header->room, sizeof *header->fields);
	header->fields[header->count++] = *field;
}

static void field_read(struct rt_ctx *ctx, const char *message, size_t start, size_t end,
	struct eds_header *header)
{
	struct eds_field field;

	if (*header->limit)
		return; /* a limit was exceeded: the caller reads on only to find the start of the
			 * body */
	if (end > EDS_HEADER_BYTES_MAX)
		header->limit = TOO_LONG;
	else if (end - start > EDS_HEADER_FIELD_BYTES_MAX)
		header->limit = FIELD_TOO_LONG;
	else if (field_split(message + start, end - start, &field))
		field_keep(ctx, header, &field);
	else
		header->malformed = true;
}

void eds_header_read(
	struct rt_ctx *ctx, const char *message, size_t length, struct eds_header *header)
{
	size_t offset = 0;

	*header = (struct eds_header){.limit = "", .body_offset = length};
	while (offset < length) {
		size_t end = next_line(message, length, offset);

		if (is_empty_line(message, offset, end)) {
			header->body_offset = end;
			return;
		}
		end = next_field(message, length, offset);
		field_read(ctx, message, offset, end, header);
		offset = end;
	}
}

static bool name_equals(const struct eds_field *field, const char *name)
{
	return strlen(name) == field->name_length &&
		strncasecmp(field->name, name, field->name_length) == 0;
}

const struct eds_field *eds_header_find(
	const struct eds_header *header, const char *name, size_t nth)
{
	for (size_t i = 0; i < header->count; i++)
		if (name_equals(&header->fields[i], name) && nth-- == 0)
			return &header->fields[i];
	return NULL;
}

size_t eds_header_count(const struct eds_header *header, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < header->count; i++)
		count += name_equals(&header->fields[i], name);
	return count;
}

/* The number of octets to keep of a text that is cut to max octets, without splitting a UTF-8
 * character. */
static size_t cut_utf8(const char *text, size_t length, size_t max)
{
	if (length <= max)
		return length;
	length = max;
	for (int i = 0; i < 3 && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; i++)
		length--;
	return length;
}

char *eds_field_text(struct rt_ctx *ctx, const struct eds_field *field)
{
	const char *value = field->value;
	size_t length = field->value_length;
	char *text = rt_alloc(ctx, length + 1);
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)value[i];

		if (c == '\n' || (c == '\r' && i + 1 < length && value[i + 1] == '\n'))
			continue; /* drops the line end; the white space after it stays */
		if (c < ' ' || c == 127)
			c = ' ';
		if (used > 0 || c != ' ')
			text[used++] = (char)c;
	}
	used = cut_utf8(text, used, TEXT_MAX);
	while (used > 0 && text[used - 1] == ' ')
		used--;
	text[used] = '\0';
	return text;
}
