#include "runtime/host/http/http-head.h"

#include <http_parser.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "runtime/host/http/http-head-lines.h"
#include "runtime/host/http/http-host.h"

struct reading {
	struct http_head *head;
	struct http_span target;
	struct http_span authority; /* host and port from a target in absolute form; else empty */
	bool too_many;
	bool closes;         /* Connection has "close" */
	bool keeps;          /* Connection has "keep-alive" */
	bool foreign_coding; /* there is a transfer coding other than chunked */
};

bool http_span_is(const struct http_span *name, const char *lower_case)
{
	return strlen(lower_case) == name->length &&
		strncasecmp(name->text, lower_case, name->length) == 0;
}

static int on_url(http_parser *parser, const char *at, size_t length)
{
	struct reading *reading = parser->data;

	reading->target = (struct http_span){.text = at, .length = length};
	return 0;
}

static int on_field(http_parser *parser, const char *at, size_t length)
{
	struct reading *reading = parser->data;
	struct http_head *head = reading->head;

	if (head->field_count == HTTP_FIELDS_MAX) {
		reading->too_many = true;
		return 1;
	}
	head->fields[head->field_count++].name = (struct http_span){.text = at, .length = length};
	return 0;
}

static int on_value(http_parser *parser, const char *at, size_t length)
{
	struct reading *reading = parser->data;
	struct http_head *head = reading->head;

	while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t'))
		length--;
	head->fields[head->field_count - 1].value = (struct http_span){
		.text = at, .length = length};
	return 0;
}

/* Called at the end of the head. Returns 1, so that the parser does not read the body. */
static int on_complete(http_parser *parser)
{
	struct reading *reading = parser->data;

	if (parser->content_length != UINT64_MAX)
		reading->head->content_length = (size_t)parser->content_length;
	return 1;
}

static enum http_result refuse_parsed(struct http_head *head, enum http_errno error, bool too_many)
{
	if (too_many)
		return http_head_refuse(
			head, 431, "fields-too-many", "there are more than 100 header fields");
	switch (error) {
	case HPE_INVALID_METHOD:
		return http_head_refuse(
			head, 501, "method-unknown", "the request method is not known here");
	case HPE_INVALID_VERSION:
		return http_head_refuse(
			head, 505, "version-unsupported", "only HTTP/1.1 and 1.0 are supported");
	case HPE_UNEXPECTED_CONTENT_LENGTH:
	case HPE_INVALID_CONTENT_LENGTH:
		return http_head_refuse(head, 400, "content-length-invalid",
			"Content-Length is repeated, is not a number, or occurs with Transfer-Encoding");
	case HPE_INVALID_TRANSFER_ENCODING:
		return http_head_refuse(head, 400, "transfer-encoding-invalid",
			"Transfer-Encoding must be \"chunked\"");
	default:
		return http_head_refuse(
			head, 400, "request-invalid", "the request is not well-formed HTTP");
	}
}

/* http-parser has had no release since 2020. Its successor is llhttp; the npm package "llhttp"
 * contains the C sources. To use llhttp instead, change this function, refuse_parsed and the on_
 * functions above. Then change the calls of the parser and its callbacks in
 * runtime/adapter/bootstrap-api.c and local/serve/runtime-api.c. What changes:
 * - http_parser_init becomes llhttp_init, which takes the settings. http_parser_execute becomes
 *   llhttp_execute, which returns the error. http_method_str becomes llhttp_method_name. Instead of
 *   calling http_parser_pause, the callback returns HPE_PAUSED. parser.method, http_major,
 *   http_minor and data keep their names.
 * - The errors of refuse_parsed have the same names. Without a Content-Length, llhttp sets
 *   content_length to 0, and http-parser to UINT64_MAX.
 * - A head is parsed whole, so that with either parser no callback is called twice for one name or
 *   value. tests/unit/test_http_head.c tests that each name gets its value, even an empty one.
 * - llhttp is strict by default; set no lenient flag. The checks of this file that are stricter
 *   than both parsers stay. */
static enum http_result run_parser(const char *bytes, struct reading *reading)
{
	static const http_parser_settings settings = {.on_url = on_url,
		.on_header_field = on_field,
		.on_header_value = on_value,
		.on_headers_complete = on_complete};
	struct http_head *head = reading->head;
	http_parser parser;

	http_parser_init(&parser, HTTP_REQUEST);
	parser.data = reading;
	http_parser_execute(&parser, &settings, bytes, head->head_length);
	if (HTTP_PARSER_ERRNO(&parser) != HPE_OK)
		return refuse_parsed(head, HTTP_PARSER_ERRNO(&parser), reading->too_many);
	if (parser.http_major != 1 || parser.http_minor > 1)
		return http_head_refuse(
			head, 505, "version-unsupported", "only HTTP/1.1 and 1.0 are supported");
	head->minor = parser.http_minor;
	head->method = http_method_str((enum http_method)parser.method);
	return HTTP_READY;
}

/* True if the line is METHOD SP TARGET SP HTTP/1.x with single spaces (RFC 9112 section 3). */
static bool is_plain_request_line(const char *bytes, const struct reading *reading)
{
	const struct http_span *target = &reading->target;
	size_t method = strlen(reading->head->method);

	return target->text == bytes + method + 1 && bytes[method] == ' ' &&
		strncmp(target->text + target->length, " HTTP/1.", 8) == 0 &&
		target->text[target->length + 9] == '\r';
}

static bool is_visible(const struct http_span *target)
{
	for (size_t i = 0; i < target->length; i++)
		if (target->text[i] <= ' ' || target->text[i] >= 0x7f || target->text[i] == '#')
			return false;
	return true;
}

/* Splits "http://HOST" from an absolute target (RFC 9112 section 3.2.2); false when the target does
 * not have that form. */
static bool split_authority(struct http_span *target, struct http_span *authority)
{
	static const char *const schemes[] = {"http://", "https://"};
	struct http_span unused;

	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		size_t length = strlen(schemes[i]);

		if (target->length < length || strncasecmp(target->text, schemes[i], length) != 0)
			continue;
		target->text += length;
		target->length -= length;
		authority->text = target->text;
		while (authority->length < target->length &&
			strchr("/?", target->text[authority->length]) == NULL)
			authority->length++;
		target->text += authority->length;
		target->length -= authority->length;
		return http_host_split(authority, &unused);
	}
	return false;
}

static void split_query(struct http_head *head, const struct http_span *target)
{
	const char *mark = memchr(target->text, '?', target->length);

	head->path = *target;
	head->query = (struct http_span){.text = target->text + target->length};
	if (mark != NULL) {
		head->path.length = (size_t)(mark - target->text);
		head->query.text = mark + 1;
		head->query.length = target->length - head->path.length - 1;
	}
	/* An empty path, as in "http://example.com", means "/" (RFC 9110 section 4.2.3). */
	if (head->path.length == 0)
		head->path = (struct http_span){"/", 1};
}

static enum http_result check_target(const char *bytes, struct reading *reading)
{
	struct http_head *head = reading->head;
	struct http_span target = reading->target;

	if (!is_plain_request_line(bytes, reading))
		return http_head_refuse(head, 400, "request-line-invalid",
			"The request line is not \"METHOD TARGET HTTP/1.1\".");
	if (!is_visible(&target) ||
		(target.text[0] != '/' && !split_authority(&target, &reading->authority)))
		return http_head_refuse(head, 400, "target-invalid",
			"The request target must be a path that begins with a slash, or such a "
			"path after \"http://HOST\".");
	split_query(head, &target);
	return HTTP_READY;
}

static enum http_result check_host(struct http_head *head, const struct http_field *field)
{
	struct http_span unused;

	if (head->host.length > 0)
		return http_head_refuse(
			head, 400, "host-repeated", "there is more than one Host field");
	if (!http_host_split(&field->value, &unused))
		return http_head_refuse(head, 400, "host-invalid",
			"the Host field is not a name or address with an optional port");
	head->host = field->value;
	return HTTP_READY;
}

static struct http_span trim(struct http_span span)
{
	while (span.length > 0 && (span.text[0] == ' ' || span.text[0] == '\t'))
		span = (struct http_span){span.text + 1, span.length - 1};
	while (span.length > 0 &&
		(span.text[span.length - 1] == ' ' || span.text[span.length - 1] == '\t'))
		span.length--;
	return span;
}

/* Removes the next element from a comma-separated list (RFC 9110 section 5.6.1); false at the end
 * of the list. */
static bool next_element(struct http_span *list, struct http_span *element)
{
	const char *comma;

	if (list->length == 0)
		return false;
	comma = memchr(list->text, ',', list->length);
	*element = *list;
	if (comma != NULL)
		element->length = (size_t)(comma - list->text);
	list->text += element->length + (comma != NULL);
	list->length -= element->length + (comma != NULL);
	*element = trim(*element);
	return true;
}

static void note_connection(struct reading *reading, struct http_span list)
{
	struct http_span element;

	while (next_element(&list, &element)) {
		reading->closes |= http_span_is(&element, "close");
		reading->keeps |= http_span_is(&element, "keep-alive");
	}
}

/* The name of a coding, without its parameters. */
static struct http_span coding_name(const struct http_span *coding)
{
	const char *semicolon = memchr(coding->text, ';', coding->length);

	return semicolon == NULL
		? *coding
		: trim((struct http_span){coding->text, (size_t)(semicolon - coding->text)});
}

/* Checks that no coding follows chunked (RFC 9112 section 6.1); notes whether there is another
 * coding. */
static enum http_result check_coding(struct reading *reading, struct http_span list)
{
	struct http_head *head = reading->head;
	struct http_span coding;

	while (next_element(&list, &coding)) {
		struct http_span name = coding_name(&coding);
		bool is_chunked = http_span_is(&coding, "chunked");

		if (coding.length == 0)
			continue;
		if (head->chunked || head->minor == 0 || !http_is_token(name.text, name.length) ||
			(!is_chunked && http_span_is(&name, "chunked")))
			return http_head_refuse(head, 400, "transfer-encoding-invalid",
				"Transfer-Encoding is allowed only in HTTP/1.1 and only with the value \"chunked\", once");
		head->chunked = is_chunked;
		reading->foreign_coding |= !is_chunked;
	}
	return HTTP_READY;
}

static enum http_result check_field(struct reading *reading, const struct http_field *field)
{
	struct http_head *head = reading->head;
	const struct http_span *name = &field->name;

	if (!http_is_token(name->text, name->length))
		return http_head_refuse(head, 400, "field-name-invalid",
			"the name of a header field contains a space or another character that is not allowed");
	if (http_span_is(name, "host"))
		return check_host(head, field);
	if (http_span_is(name, "transfer-encoding"))
		return check_coding(reading, field->value);
	if (http_span_is(name, "connection"))
		note_connection(reading, field->value);
	if (!http_span_is(name, "expect") || head->minor == 0)
		return HTTP_READY;
	head->expects_continue = http_span_is(&field->value, "100-continue");
	return head->expects_continue
		? HTTP_READY
		: http_head_refuse(head, 417, "expectation-failed", "Expect must be 100-continue");
}

/* Uses the host of an absolute target instead of that of the Host field (RFC 9112 section 3.2.2).
 */
static void take_authority(struct http_head *head, const struct http_span *authority)
{
	if (authority->length == 0)
		return;
	head->host = *authority;
	for (size_t i = 0; i < head->field_count; i++)
		if (http_span_is(&head->fields[i].name, "host"))
			head->fields[i].value = *authority;
}

/* Checks the rules that concern several fields. */
static enum http_result check_whole(struct reading *reading)
{
	struct http_head *head = reading->head;

	if (head->host.length == 0 && head->minor > 0)
		return http_head_refuse(
			head, 400, "host-missing", "HTTP/1.1 requires a Host field");
	if (reading->foreign_coding && !head->chunked)
		return http_head_refuse(head, 400, "transfer-encoding-invalid",
			"The last transfer coding of a request must be \"chunked\".");
	if (reading->foreign_coding)
		return http_head_refuse(head, 501, "transfer-coding-unknown",
			"\"chunked\" is the only transfer coding that is known here.");
	if (head->chunked && head->content_length > 0)
		return http_head_refuse(head, 400, "content-length-invalid",
			"the request has both Content-Length and Transfer-Encoding");
	if (head->content_length > HTTP_LARGE_BODY_BYTES_MAX)
		return http_head_refuse(head, 413, "body-too-large",
			"the body is longer than this operation accepts");
	head->keep_alive = !reading->closes && (head->minor > 0 || reading->keeps);
	take_authority(head, &reading->authority);
	return HTTP_READY;
}

enum http_result http_head_parse(char *bytes, size_t length, struct http_head *head)
{
	struct reading reading = {.head = head};
	enum http_result result;

	head->field_count = head->head_length = head->content_length = 0;
	head->chunked = head->expects_continue = false;
	head->host = (struct http_span){.text = ""};

	result = http_head_lines(bytes, length, head);
	if (result != HTTP_READY)
		return result;
	result = run_parser(bytes, &reading);
	if (result == HTTP_READY)
		result = check_target(bytes, &reading);
	for (size_t i = 0; result == HTTP_READY && i < head->field_count; i++)
		result = check_field(&reading, &head->fields[i]);
	return result == HTTP_READY ? check_whole(&reading) : result;
}
