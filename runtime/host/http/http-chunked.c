#include "runtime/host/http/http-chunked.h"
#include "runtime/host/http/http-head-lines.h"

#include <stdint.h>
#include <string.h>

#include "runtime/text/hex.h"

/* The received octets that are being decoded. */
struct decoding {
	struct http_chunked *chunked;
	char *bytes;
	size_t at;
	size_t length;
};

static enum http_result refuse(
	struct http_chunked *chunked, int status, const char *code, const char *detail)
{
	chunked->refusal = (struct http_refusal){.status = status, .code = code, .detail = detail};
	return HTTP_REFUSED;
}

void http_chunked_init(struct http_chunked *chunked, size_t max)
{
	*chunked = (struct http_chunked){.state = CHUNK_SIZE, .max = max};
}

/* Reads a line; *line is without its CRLF. */
static enum http_result take_line(struct decoding *decoding, struct http_span *line)
{
	char *start = decoding->bytes + decoding->at;
	size_t available = decoding->length - decoding->at;
	size_t scanned = available < HTTP_CHUNK_LINE_MAX ? available : HTTP_CHUNK_LINE_MAX;
	char *feed = memchr(start, '\n', scanned);

	if (feed == NULL)
		return scanned < HTTP_CHUNK_LINE_MAX
			? HTTP_MORE
			: refuse(decoding->chunked, 400, "chunk-invalid",
				  "a line of the chunked body is too long");
	*line = (struct http_span){.text = start, .length = (size_t)(feed - start)};
	if (line->length == 0 || feed[-1] != '\r')
		return refuse(decoding->chunked, 400, "chunk-invalid",
			"a line of the chunked body ends with a bare LF");
	line->length--;
	if (!http_is_field_text(line->text, line->length))
		return refuse(decoding->chunked, 400, "chunk-invalid",
			"a line of the chunked body contains a control character");
	decoding->at += line->length + 2;
	return HTTP_READY;
}

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* The position after a token or a quoted string (RFC 9110 section 5.6.4); NULL if neither is there.
 */
static const char *skip_word(const char *at, const char *end)
{
	const char *start = at;

	if (at == end || *at != '"') {
		while (at < end && http_is_token(at, 1))
			at++;
		return at == start ? NULL : at;
	}
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : NULL;
}

/* The position after ";" name [ "=" value ]; NULL if there is none. White space is allowed around
 * ";" and "=" but not at the end. */
static const char *skip_extension(const char *at, const char *end)
{
	const char *name_end;

	at = skip_space(at, end);
	if (at == end || *at != ';')
		return NULL;
	at = skip_space(at + 1, end);
	if (at == end || *at == '"')
		return NULL;
	at = name_end = skip_word(at, end);
	if (at == NULL)
		return NULL;
	at = skip_space(at, end);
	if (at == end || *at != '=')
		return name_end;
	return skip_word(skip_space(at + 1, end), end);
}

/* Parses chunk-size *( ";" extension ) and nothing else (RFC 9112 section 7.1): no 0x, no sign. */
static bool parse_size(const struct http_span *line, size_t *size)
{
	const char *at = line->text;
	const char *end = at + line->length;

	*size = 0;
	for (; at < end && at - line->text < 8 && rt_hex_value(*at) >= 0; at++)
		*size = *size * 16 + (size_t)rt_hex_value(*at);
	if (at == line->text)
		return false;
	while (at != NULL && at < end)
		at = skip_extension(at, end);
	return at != NULL;
}

static enum http_result read_size(struct decoding *decoding)
{
	struct http_chunked *chunked = decoding->chunked;
	struct http_span line;
	enum http_result result = take_line(decoding, &line);

	if (result != HTTP_READY)
		return result;
	if (!parse_size(&line, &chunked->left))
		return refuse(chunked, 400, "chunk-invalid",
			"a chunk size is not a hexadecimal number, or its extension is malformed");
	if (chunked->left > chunked->max - chunked->decoded)
		return refuse(chunked, 413, "body-too-large",
			"the body is longer than this operation accepts");
	chunked->state = chunked->left == 0 ? CHUNK_TRAILER : CHUNK_DATA;
	return HTTP_READY;
}

static enum http_result read_data(struct decoding *decoding)
{
	struct http_chunked *chunked = decoding->chunked;
	size_t available = decoding->length - decoding->at;
	size_t take = available < chunked->left ? available : chunked->left;

	memmove(decoding->bytes + chunked->decoded, decoding->bytes + decoding->at, take);
	chunked->decoded += take;
	decoding->at += take;
	chunked->left -= take;
	if (chunked->left > 0)
		return HTTP_MORE;
	chunked->state = CHUNK_DATA_END;
	return HTTP_READY;
}

static enum http_result read_data_end(struct decoding *decoding)
{
	const char *end = decoding->bytes + decoding->at;
	size_t available = decoding->length - decoding->at;

	if ((available > 0 && end[0] != '\r') || (available > 1 && end[1] != '\n'))
		return refuse(decoding->chunked, 400, "chunk-invalid",
			"a chunk is longer than its size says");
	if (available < 2)
		return HTTP_MORE;
	decoding->at += 2;
	decoding->chunked->state = CHUNK_SIZE;
	return HTTP_READY;
}

/* True if the line is a single header field (RFC 9112 section 7.1.2). A line that looks like the
 * next request, or continues the previous line, is refused, because another server could read it
 * differently. */
static bool is_field(const struct http_span *line)
{
	const char *colon = memchr(line->text, ':', line->length);

	return colon != NULL && http_is_token(line->text, (size_t)(colon - line->text));
}

/* Reads one trailer line; sets *ended at the empty line. */
static enum http_result read_trailer(struct decoding *decoding, bool *ended)
{
	struct http_span line;
	enum http_result result = take_line(decoding, &line);

	if (result != HTTP_READY)
		return result;
	*ended = line.length == 0;
	if (!*ended && !is_field(&line))
		return refuse(decoding->chunked, 400, "trailer-invalid",
			"the body is followed by a line that is not a trailer field");
	if (!*ended && ++decoding->chunked->trailers > HTTP_CHUNK_TRAILERS_MAX)
		return refuse(decoding->chunked, 431, "trailers-too-many",
			"there are too many trailer fields");
	return HTTP_READY;
}

static enum http_result step(struct decoding *decoding, bool *ended)
{
	switch (decoding->chunked->state) {
	case CHUNK_SIZE:
		return read_size(decoding);
	case CHUNK_DATA:
		return read_data(decoding);
	case CHUNK_DATA_END:
		return read_data_end(decoding);
	default:
		return read_trailer(decoding, ended);
	}
}

enum http_result http_chunked_decode(struct http_chunked *chunked, char *bytes, size_t *length)
{
	struct decoding decoding = {
		.chunked = chunked, .bytes = bytes, .at = chunked->decoded, .length = *length};
	enum http_result result = HTTP_READY;
	bool ended = false;
	size_t rest;

	while (result == HTTP_READY && !ended)
		result = step(&decoding, &ended);
	rest = decoding.length - decoding.at;
	memmove(bytes + chunked->decoded, bytes + decoding.at, rest);
	*length = chunked->decoded + rest;
	return result;
}
