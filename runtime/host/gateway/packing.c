#include "runtime/host/gateway/packing.h"

#include <string.h>
#include <strings.h>

#include "runtime/event/coding.h"

bool packing_is_asked(const struct http_head *head)
{
	const struct http_span *asked = NULL;

	for (size_t i = 0; i < head->field_count; i++) {
		if (!http_span_is(&head->fields[i].name, "accept-encoding"))
			continue;
		if (asked != NULL)
			return false;
		asked = &head->fields[i].value;
	}
	return asked != NULL && rt_coding_gzip_asked(asked->text, asked->length);
}

/* The line after this one; NULL at the end. */
static const char *next_line(const char *line, const char *end)
{
	const char *newline = memchr(line, '\n', (size_t)(end - line));

	return newline == NULL || newline + 1 == end ? NULL : newline + 1;
}

static bool is_line(const char *line, const char *end, const char *start)
{
	size_t length = strlen(start);

	return (size_t)(end - line) >= length && strncasecmp(line, start, length) == 0;
}

static const char *find_line(const struct rt_buffer *fields, const char *start)
{
	const char *end = fields->bytes + fields->length;
	const char *line = fields->length > 0 ? fields->bytes : NULL;

	while (line != NULL && !is_line(line, end, start))
		line = next_line(line, end);
	return line;
}

/* True if the answer may be compressed: status 200, JSON, not yet compressed, and of suitable
 * length. */
static bool suits(int status, const struct rt_buffer *fields, size_t length)
{
	return status == 200 && length >= PACKING_BYTES_MIN && length <= PACKING_BYTES_MAX &&
		find_line(fields, "content-type: application/json\r\n") != NULL &&
		find_line(fields, "content-encoding:") == NULL;
}

/* Writes the line of the ETag with "-gzip" added: "9c1185a5c5e9fc54" becomes
 * "9c1185a5c5e9fc54-gzip". rt_etag_find() accepts that form from a client (runtime/event/etag.h).
 */
static void write_tagged(struct rt_buffer *out, const char *line, size_t length)
{
	static const char end[] = "\"\r\n";
	size_t before = length - (sizeof end - 1);

	if (length < sizeof end || memcmp(line + before, end, sizeof end - 1) != 0) {
		rt_buffer_add(out, line, length);
		return;
	}
	rt_buffer_add(out, line, before);
	rt_buffer_text(out, "-gzip\"\r\n");
}

static void write_fields(struct rt_buffer *out, const struct rt_buffer *fields, bool packed)
{
	const char *end = fields->bytes + fields->length;
	const char *line = fields->length > 0 ? fields->bytes : NULL;

	while (line != NULL) {
		const char *next = next_line(line, end);
		size_t length = (size_t)((next != NULL ? next : end) - line);

		if (packed && is_line(line, end, "etag:"))
			write_tagged(out, line, length);
		else
			rt_buffer_add(out, line, length);
		line = next;
	}
	if (packed)
		rt_buffer_text(out, "content-encoding: gzip\r\n");
	rt_buffer_text(out, "vary: Accept-Encoding\r\n");
}

void packing_init(struct packing *packing, size_t fields_max, size_t body_max)
{
	packing->pack = NULL;
	rt_buffer_init_heap(&packing->fields, fields_max);
	rt_buffer_init_heap(&packing->body, body_max);
}

void packing_done(struct packing *packing)
{
	rt_buffer_done(&packing->fields);
	rt_buffer_done(&packing->body);
}

void packing_prepare(struct packing *packing, bool asked, int status,
	const struct rt_buffer **fields, const struct rt_buffer **body)
{
	bool packed;

	if (packing->pack == NULL)
		return;
	rt_buffer_clear(&packing->fields);
	rt_buffer_clear(&packing->body);
	packed = asked && suits(status, *fields, (*body)->length) &&
		packing->pack(&packing->body, (*body)->bytes, (*body)->length);
	write_fields(&packing->fields, *fields, packed);
	*fields = &packing->fields;
	if (packed)
		*body = &packing->body;
}

void packing_rest(struct packing *packing)
{
	if (packing->body.capacity > PACKING_KEPT_BYTES)
		rt_buffer_done(&packing->body);
}
