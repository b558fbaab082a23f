#include "functions/lib/shape/part-decode.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	DIGIT_BITS = 6,
	OCTET_BITS = 8,
	RUN_BYTES = 64, /* characters counted at once, so that a compiler can use vector
			 * instructions */
};

struct sink {
	char *out;
	size_t room;
	size_t count;
};

static void put(struct sink *sink, char octet)
{
	if (sink->count < sink->room)
		sink->out[sink->count] = octet;
	sink->count++;
}

static void put_run(struct sink *sink, const char *octets, size_t length)
{
	size_t kept = sink->count < sink->room ? sink->room - sink->count : 0;

	if (kept > 0)
		memcpy(sink->out + sink->count, octets, length < kept ? length : kept);
	sink->count += length;
}

static uint8_t in_range(uint8_t c, uint8_t first, uint8_t count)
{
	return (uint8_t)(c - first) < count;
}

static uint8_t is_digit(uint8_t c)
{
	return in_range(c | 0x20, 'a', 26) | in_range(c, '0', 10) | (c == '+') | (c == '/');
}

static size_t count_digits(const char *text, size_t length)
{
	const uint8_t *at = (const uint8_t *)text;
	size_t digits = 0;

	for (; length >= RUN_BYTES; length -= RUN_BYTES, at += RUN_BYTES) {
		uint8_t run = 0;

		for (size_t i = 0; i < RUN_BYTES; i++)
			run += is_digit(at[i]);
		digits += run;
	}
	for (size_t i = 0; i < length; i++)
		digits += is_digit(at[i]);
	return digits;
}

static unsigned digit_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0') + 52;
	return c == '+' ? 62 : 63;
}

/* Decodes base64 digit by digit while the output has room; only counts the rest. */
static size_t decode_base64(const char *text, size_t length, char *out, size_t room)
{
	size_t octets = count_digits(text, length) * DIGIT_BITS / OCTET_BITS;
	struct sink sink = {.out = out, .room = room < octets ? room : octets};
	unsigned bits = 0;
	unsigned held = 0;

	for (size_t i = 0; i < length && sink.count < sink.room; i++) {
		if (!is_digit((uint8_t)text[i]))
			continue;
		bits = bits << DIGIT_BITS | digit_value(text[i]);
		held += DIGIT_BITS;
		if (held >= OCTET_BITS) {
			held -= OCTET_BITS;
			put(&sink, (char)(bits >> held));
		}
	}
	return octets;
}

int eds_part_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number of octets of a soft line break, without its '='; 0 when there is none. */
static size_t soft_break(const char *at, const char *end)
{
	const char *begin = at;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at < end && *at == '\r')
		at++;
	return at < end && *at == '\n' ? (size_t)(at + 1 - begin) : 0;
}

static size_t decode_quoted(const char *at, size_t length, char *out, size_t room)
{
	struct sink sink = {.out = out, .room = room};
	const char *end = at + length;

	while (at < end) {
		const char *equals = memchr(at, '=', (size_t)(end - at));
		size_t gone;

		put_run(&sink, at, (size_t)((equals == NULL ? end : equals) - at));
		if (equals == NULL)
			break;
		at = equals + 1;
		gone = soft_break(at, end);
		if (gone > 0) {
			at += gone;
		} else if (end - at >= 2 && eds_part_hex(at[0]) >= 0 && eds_part_hex(at[1]) >= 0) {
			put(&sink, (char)(eds_part_hex(at[0]) << 4 | eds_part_hex(at[1])));
			at += 2;
		} else {
			put(&sink, '=');
		}
	}
	return sink.count;
}

size_t eds_part_decode(
	enum eds_part_encoding encoding, const char *text, size_t length, char *out, size_t room)
{
	struct sink sink = {.out = out, .room = room};

	switch (encoding) {
	case EDS_PART_BASE64:
		return decode_base64(text, length, out, room);
	case EDS_PART_QUOTED_PRINTABLE:
		return decode_quoted(text, length, out, room);
	case EDS_PART_IDENTITY:
		break;
	}
	put_run(&sink, text, length);
	return sink.count;
}
