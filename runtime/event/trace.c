#include "runtime/event/trace.h"

#include <string.h>

#include "runtime/ctx.h"

enum {
	VERSION_AT = 0,
	ID_AT = 3,
	SPAN_AT = 36,
	FLAGS_AT = 53,
	FLAG_SAMPLED = 1,
	/* random bytes that random_bytes() gives at once; a trace id needs 16, a span id 8 */
	RANDOM_BYTES = 24,
	XRAY_EPOCH = 8, /* hexadecimal digits of the time in an X-Ray id */
	XRAY_UNIQUE = 24,
};

static const char HEX[] = "0123456789abcdef";

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool are_digits(const char *text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (digit(text[i]) < 0)
			return false;
	return true;
}

/* True for hexadecimal digits, at least one of which is not 0. */
static bool is_id(const char *text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text[i] != '0')
			return are_digits(text, count);
	return false;
}

static void keep(char *id, const char *text, size_t count)
{
	memcpy(id, text, count);
	id[count] = '\0';
}

/* True if the length fits the version, which must not be "ff". A value of a version after 00 may
 * have more text after the parts that version 00 has. */
static bool has_length_of_version(const char *text, size_t length)
{
	if (!are_digits(text + VERSION_AT, 2) || memcmp(text, "ff", 2) == 0)
		return false;
	return length == RT_TRACEPARENT_LENGTH ||
		(memcmp(text, "00", 2) != 0 && text[RT_TRACEPARENT_LENGTH] == '-');
}

bool rt_trace_read(const char *text, size_t length, struct rt_trace *trace)
{
	if (length < RT_TRACEPARENT_LENGTH || !has_length_of_version(text, length))
		return false;
	if (text[ID_AT - 1] != '-' || text[SPAN_AT - 1] != '-' || text[FLAGS_AT - 1] != '-')
		return false;
	if (!is_id(text + ID_AT, RT_TRACE_ID_LENGTH) || !is_id(text + SPAN_AT, RT_SPAN_ID_LENGTH) ||
		!are_digits(text + FLAGS_AT, 2))
		return false;
	keep(trace->id, text + ID_AT, RT_TRACE_ID_LENGTH);
	keep(trace->span, text + SPAN_AT, RT_SPAN_ID_LENGTH);
	trace->sampled = (digit(text[FLAGS_AT + 1]) & FLAG_SAMPLED) != 0;
	return true;
}

static void write_hex(char *text, const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		*text++ = HEX[bytes[i] >> 4];
		*text++ = HEX[bytes[i] & 15];
	}
	*text = '\0';
}

/* Writes an id made from the random bytes. The last bit is set, because an id must not be all
 * zeros. */
static void make_id(char *id, unsigned char *bytes, size_t count)
{
	bytes[count - 1] |= 1;
	write_hex(id, bytes, count);
}

static const unsigned char *random_bytes(void)
{
	static unsigned char block[RANDOM_BYTES * 64]; /* one kernel call for many ids */
	static size_t used = sizeof block;

	if (used == sizeof block) {
		rt_random(block, sizeof block);
		used = 0;
	}
	used += RANDOM_BYTES;
	return block + used - RANDOM_BYTES;
}

void rt_trace_step(struct rt_trace *trace)
{
	unsigned char bytes[RT_SPAN_ID_LENGTH / 2];

	memcpy(bytes, random_bytes(), sizeof bytes);
	make_id(trace->span, bytes, sizeof bytes);
}

void rt_trace_make(struct rt_trace *trace)
{
	unsigned char bytes[RT_TRACE_ID_LENGTH / 2];

	memcpy(bytes, random_bytes(), sizeof bytes);
	make_id(trace->id, bytes, sizeof bytes);
	rt_trace_step(trace);
	trace->sampled = false;
}

bool rt_trace_read_xray(const char *text, struct rt_trace *trace)
{
	static const char root[] = "Root=1-";
	const char *at = strstr(text, root);

	if (at == NULL || strlen(at) < sizeof root - 1 + XRAY_EPOCH + 1 + XRAY_UNIQUE)
		return false;
	at += sizeof root - 1;
	if (at[XRAY_EPOCH] != '-')
		return false;
	memcpy(trace->id, at, XRAY_EPOCH);
	keep(trace->id + XRAY_EPOCH, at + XRAY_EPOCH + 1, XRAY_UNIQUE);
	trace->sampled = strstr(text, "Sampled=1") != NULL;
	rt_trace_step(trace);
	return is_id(trace->id, RT_TRACE_ID_LENGTH);
}

void rt_trace_write(const struct rt_trace *trace, char text[RT_TRACEPARENT_LENGTH + 1])
{
	memcpy(text, "00-", ID_AT - VERSION_AT);
	memcpy(text + ID_AT, trace->id, RT_TRACE_ID_LENGTH);
	text[SPAN_AT - 1] = '-';
	memcpy(text + SPAN_AT, trace->span, RT_SPAN_ID_LENGTH);
	memcpy(text + FLAGS_AT - 1, trace->sampled ? "-01" : "-00", sizeof "-00");
}
