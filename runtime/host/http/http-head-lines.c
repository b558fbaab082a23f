#include "runtime/host/http/http-head-lines.h"

#include <stdint.h>
#include <string.h>

enum http_result http_head_refuse(
	struct http_head *head, int status, const char *code, const char *detail)
{
	head->refusal = (struct http_refusal){.status = status, .code = code, .detail = detail};
	return HTTP_REFUSED;
}

/* True for a token of RFC 9110 section 5.6.2. */
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

/* True if one of the eight octets is a control character, including tab. */
static bool has_control(uint64_t octets)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t deletes = octets ^ ones * 0x7f;

	return ((((octets - ones * ' ') & ~octets) | ((deletes - ones) & ~deletes)) & ones << 7) !=
		0;
}

/* True for text of the characters that RFC 9110 section 5.5 allows: visible ones, spaces, tabs and
 * octets above 127. */
bool http_is_field_text(const char *text, size_t length)
{
	uint64_t octets;
	size_t i = 0;

	for (; length - i >= sizeof octets; i += sizeof octets) {
		memcpy(&octets, text + i, sizeof octets);
		if (has_control(octets))
			break;
	}
	for (; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* Changes tabs at the end of a line to spaces. White space after a value is spaces and tabs (RFC
 * 9110 section 5.6.3), but http-parser removes only spaces. */
static void blank_tabs(const char *line, char *end)
{
	for (; end > line && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = ' ';
}

/* Checks the line that ends with this LF. An empty line ends the head. */
static enum http_result check_line(struct http_head *head, const char *line, char *feed)
{
	if (feed == line || feed[-1] != '\r')
		return http_head_refuse(head, 400, "line-end-invalid",
			"a line ends with a bare LF; CRLF is required");
	if (!http_is_field_text(line, (size_t)(feed - line) - 1))
		return http_head_refuse(head, 400, "control-character",
			"the header contains a NUL, a bare CR or another control character");
	if (*line == ' ' || *line == '\t')
		return http_head_refuse(
			head, 400, "field-folded", "a header field continues in a folded line");
	blank_tabs(line, feed - 1);
	return HTTP_READY;
}

/* Checks the head line by line, up to the empty line. RFC 9112 section 2.2 allows a server to
 * accept a bare LF as a line end, and section 5.2 to unfold lines. This server refuses both, since
 * another server may decide differently (request smuggling). */
enum http_result http_head_lines(char *bytes, size_t length, struct http_head *head)
{
	size_t scanned = length < HTTP_HEAD_BYTES_MAX ? length : HTTP_HEAD_BYTES_MAX;
	char *end = bytes + scanned;
	char *line = bytes;
	char *feed;

	while (head->head_length == 0 &&
		(feed = memchr(line, '\n', (size_t)(end - line))) != NULL) {
		if (check_line(head, line, feed) != HTTP_READY)
			return HTTP_REFUSED;
		if (feed - line == 1)
			head->head_length = (size_t)(feed + 1 - bytes);
		line = feed + 1;
	}
	if (head->head_length == 0)
		return length < HTTP_HEAD_BYTES_MAX
			? HTTP_MORE
			: http_head_refuse(head, 431, "header-too-large",
				  "the header is longer than 16 KiB");
	return HTTP_READY;
}
