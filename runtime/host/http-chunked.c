#include "runtime/host/http-chunked.h"

#include <stdint.h>
#include <string.h>

/* The raw bytes still to read, and where the body grows. */
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

static bool is_field_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* Takes a line without its CRLF. */
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
	if (!is_field_text(line->text, line->length))
		return refuse(decoding->chunked, 400, "chunk-invalid",
			"a line of the chunked body holds a control character");
	decoding->at += line->length + 2;
	return HTTP_READY;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c == '\0' ? NULL : strchr(digits, c);

	return found == NULL ? -1 : (int)((found - digits) % 16);
}

/* chunk-size [ ";" extension ] and nothing else: no 0x, sign or space. */
static bool parse_size(const struct http_span *line, size_t *size)
{
	size_t i = 0;

	*size = 0;
	for (; i < line->length && i < 8 && hex_digit(line->text[i]) >= 0; i++)
		*size = *size * 16 + (size_t)hex_digit(line->text[i]);
	return i > 0 && (i == line->length || line->text[i] == ';');
}

static enum http_result read_size(struct decoding *decoding)
{
	struct http_chunked *chunked = decoding->chunked;
	struct http_span line;
	enum http_result result = take_line(decoding, &line);

	if (result != HTTP_READY)
		return result;
	if (!parse_size(&line, &chunked->left))
		return refuse(
			chunked, 400, "chunk-invalid", "a chunk size is no hexadecimal number");
	if (chunked->left > chunked->max - chunked->decoded)
		return refuse(chunked, 413, "body-too-large", "the body is longer than 64 KiB");
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

/* One line; *ended with the empty one. */
static enum http_result read_trailer(struct decoding *decoding, bool *ended)
{
	struct http_span line;
	enum http_result result = take_line(decoding, &line);

	if (result != HTTP_READY)
		return result;
	*ended = line.length == 0;
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
