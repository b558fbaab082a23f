#include "local/dispatch/event-mail-fields.h"

#include <string.h>
#include <strings.h>

/* The end of a field: after the first line end that is not followed by a folded line. */
static const char *field_end(const char *field, const char *end)
{
	for (;;) {
		const char *lf = memchr(field, '\n', (size_t)(end - field));

		if (lf == NULL)
			return end;
		field = lf + 1;
		if (field == end || (*field != ' ' && *field != '\t'))
			return field;
	}
}

/* Unfolds a value: removes the line ends and keeps the white space within the value (RFC 5322
 * section 2.2.3). White space at both ends of the value is removed. */
static const char *unfold(struct rt_ctx *ctx, const char *text, size_t length)
{
	char *value;
	size_t kept = 0;

	while (length > 0 && strchr(" \t\r\n", *text) != NULL) {
		text++;
		length--;
	}
	value = rt_memdup(ctx, text, length);
	for (size_t i = 0; i < length; i++)
		if (text[i] != '\r' && text[i] != '\n')
			value[kept++] = text[i];
	while (kept > 0 && (value[kept - 1] == ' ' || value[kept - 1] == '\t'))
		kept--;
	value[kept] = '\0';
	return value;
}

static bool is_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (name[i] <= ' ' || name[i] == 127)
			return false;
	return length > 0;
}

static void add(struct rt_ctx *ctx, struct event_fields *fields, const char *field, const char *end)
{
	const char *colon = memchr(field, ':', (size_t)(end - field));
	size_t length = colon == NULL ? 0 : (size_t)(colon - field);

	while (length > 0 && (field[length - 1] == ' ' || field[length - 1] == '\t'))
		length--;
	if (!is_name(field, length))
		return;
	fields->items[fields->count++] = (struct event_field){
		rt_memdup(ctx, field, length), unfold(ctx, colon + 1, (size_t)(end - colon - 1))};
}

void event_fields_read(
	struct rt_ctx *ctx, const char *message, size_t length, struct event_fields *fields)
{
	const char *end = message + length;
	const char *field = message;

	while (field < end && *field != '\r' && *field != '\n') {
		const char *next = field_end(field, end);

		if (next - message > EVENT_MAIL_HEADER_BYTES_MAX ||
			fields->count == EVENT_MAIL_FIELDS_MAX) {
			fields->truncated = true;
			return;
		}
		add(ctx, fields, field, next);
		field = next;
	}
}

const char *event_fields_find(const struct event_fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (strcasecmp(fields->items[i].name, name) == 0)
			return fields->items[i].value;
	return NULL;
}
