#include "runtime/host/http-head.h"

#include <http_parser.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

struct reading {
	struct http_head *head;
	struct http_span target;
	bool too_many;
};

static enum http_result refuse(
	struct http_head *head, int status, const char *code, const char *detail)
{
	head->refusal = (struct http_refusal){.status = status, .code = code, .detail = detail};
	return HTTP_REFUSED;
}

/* RFC 9110 section 5.6.2. */
bool http_is_token(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			(c >= 'A' && c <= 'Z');

		if (!alphanumeric && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL))
			return false;
	}
	return length > 0;
}

bool http_name_is(const struct http_span *name, const char *lower_case)
{
	return strlen(lower_case) == name->length &&
		strncasecmp(name->text, lower_case, name->length) == 0;
}

static bool span_is(const struct http_span *span, const char *text)
{
	return http_name_is(span, text);
}

/* Goes line by line to the empty one. RFC 9112 section 2.2 lets a server take a bare LF for a line
 * end and section 5.2 lets it unfold; both are refused, as another server may choose otherwise. */
static enum http_result find_end(const char *bytes, size_t length, struct http_head *head)
{
	size_t scanned = length < HTTP_HEAD_BYTES_MAX ? length : HTTP_HEAD_BYTES_MAX;
	const char *end = bytes + scanned;
	const char *line = bytes;
	const char *feed;

	while ((feed = memchr(line, '\n', (size_t)(end - line))) != NULL) {
		if (feed == line || feed[-1] != '\r')
			return refuse(head, 400, "line-end-invalid",
				"a line ends with a bare LF; CRLF is required");
		if (feed - line == 1) {
			head->head_length = (size_t)(feed + 1 - bytes);
			break;
		}
		if (*line == ' ' || *line == '\t')
			return refuse(head, 400, "field-folded",
				"a header field goes on in a folded line");
		line = feed + 1;
	}
	if (head->head_length == 0)
		return length < HTTP_HEAD_BYTES_MAX
			? HTTP_MORE
			: refuse(head, 431, "header-too-large", "the header is longer than 16 KiB");
	return HTTP_READY;
}

/* CR only before LF, and no NUL. */
static bool has_stray_control(const char *bytes, size_t length)
{
	const char *end = bytes + length;

	if (memchr(bytes, '\0', length) != NULL)
		return true;
	for (const char *at = bytes; (at = memchr(at, '\r', (size_t)(end - at))) != NULL; at++)
		if (at + 1 == end || at[1] != '\n')
			return true;
	return false;
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

/* 1: the body is not the parser's business. */
static int on_complete(http_parser *parser)
{
	struct reading *reading = parser->data;

	reading->head->keep_alive = http_should_keep_alive(parser) != 0;
	if (parser->content_length != UINT64_MAX)
		reading->head->content_length = (size_t)parser->content_length;
	return 1;
}

static enum http_result refuse_parsed(struct http_head *head, enum http_errno error, bool too_many)
{
	if (too_many)
		return refuse(
			head, 431, "fields-too-many", "there are more than 100 header fields");
	switch (error) {
	case HPE_INVALID_METHOD:
		return refuse(head, 501, "method-unknown", "the request method is not known here");
	case HPE_INVALID_VERSION:
		return refuse(head, 505, "version-unsupported", "only HTTP/1.1 and 1.0 are spoken");
	case HPE_UNEXPECTED_CONTENT_LENGTH:
	case HPE_INVALID_CONTENT_LENGTH:
		return refuse(head, 400, "content-length-invalid",
			"Content-Length is repeated, no number, or beside Transfer-Encoding");
	case HPE_INVALID_TRANSFER_ENCODING:
		return refuse(head, 400, "transfer-encoding-invalid",
			"Transfer-Encoding may only be \"chunked\".");
	default:
		return refuse(head, 400, "request-invalid", "the request is not well-formed HTTP");
	}
}

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
		return refuse(head, 505, "version-unsupported", "only HTTP/1.1 and 1.0 are spoken");
	head->minor = parser.http_minor;
	head->method = http_method_str((enum http_method)parser.method);
	return HTTP_READY;
}

/* METHOD SP TARGET SP HTTP/1.x, with single spaces (RFC 9112 section 3). */
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

static enum http_result check_target(const char *bytes, const struct reading *reading)
{
	struct http_head *head = reading->head;
	const struct http_span *target = &reading->target;
	const char *mark;

	if (!is_plain_request_line(bytes, reading))
		return refuse(head, 400, "request-line-invalid",
			"The request line is not \"METHOD TARGET HTTP/1.1\".");
	if (target->text[0] != '/' || !is_visible(target))
		return refuse(head, 400, "target-invalid",
			"the request target must be a path that begins with a slash");
	mark = memchr(target->text, '?', target->length);
	head->path = *target;
	head->query = (struct http_span){.text = target->text + target->length};
	if (mark != NULL) {
		head->path.length = (size_t)(mark - target->text);
		head->query.text = mark + 1;
		head->query.length = target->length - head->path.length - 1;
	}
	return HTTP_READY;
}

/* A name or address with an optional port: RFC 9110 section 7.2, without what no host has. */
static bool is_host(const struct http_span *host)
{
	for (size_t i = 0; i < host->length; i++) {
		char c = host->text[i];
		bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			(c >= 'A' && c <= 'Z');

		if (!alphanumeric && strchr("-._:[]", c) == NULL)
			return false;
	}
	return host->length > 0 && host->length <= 255 + sizeof ":65535" && host->text[0] != ':';
}

static enum http_result check_host(struct http_head *head, const struct http_field *field)
{
	if (head->host.length > 0)
		return refuse(head, 400, "host-repeated", "there is more than one Host field");
	if (!is_host(&field->value))
		return refuse(head, 400, "host-invalid", "the Host field names no host");
	head->host = field->value;
	return HTTP_READY;
}

static enum http_result check_coding(struct http_head *head, const struct http_field *field)
{
	if (head->chunked || head->minor == 0 || !span_is(&field->value, "chunked"))
		return refuse(head, 400, "transfer-encoding-invalid",
			"Transfer-Encoding may only be \"chunked\", once, in HTTP/1.1.");
	head->chunked = true;
	return HTTP_READY;
}

static enum http_result check_field(struct http_head *head, const struct http_field *field)
{
	const struct http_span *name = &field->name;

	if (!http_is_token(name->text, name->length))
		return refuse(head, 400, "field-name-invalid",
			"the name of a header field holds a space or another odd character");
	if (http_name_is(name, "host"))
		return check_host(head, field);
	if (http_name_is(name, "transfer-encoding"))
		return check_coding(head, field);
	if (!http_name_is(name, "expect") || head->minor == 0)
		return HTTP_READY;
	head->expects_continue = span_is(&field->value, "100-continue");
	return head->expects_continue
		? HTTP_READY
		: refuse(head, 417, "expectation-failed", "only 100-continue can be expected");
}

/* What the fields say together. */
static enum http_result check_whole(struct http_head *head)
{
	if (head->host.length == 0 && head->minor > 0)
		return refuse(head, 400, "host-missing", "HTTP/1.1 requires a Host field");
	if (head->chunked && head->content_length > 0)
		return refuse(head, 400, "content-length-invalid",
			"Content-Length stands beside Transfer-Encoding");
	if (head->content_length > HTTP_BODY_BYTES_MAX)
		return refuse(head, 413, "body-too-large", "the body is longer than 64 KiB");
	return HTTP_READY;
}

enum http_result http_head_parse(const char *bytes, size_t length, struct http_head *head)
{
	struct reading reading = {.head = head};
	enum http_result result;

	head->field_count = head->head_length = head->content_length = 0;
	head->chunked = head->expects_continue = false;
	head->host = (struct http_span){.text = ""};

	result = find_end(bytes, length, head);
	if (result != HTTP_READY)
		return result;
	if (has_stray_control(bytes, head->head_length))
		return refuse(
			head, 400, "control-character", "the header holds a NUL or a bare CR");
	result = run_parser(bytes, &reading);
	if (result == HTTP_READY)
		result = check_target(bytes, &reading);
	for (size_t i = 0; result == HTTP_READY && i < head->field_count; i++)
		result = check_field(head, &head->fields[i]);
	return result == HTTP_READY ? check_whole(head) : result;
}
