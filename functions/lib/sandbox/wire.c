#include "functions/lib/sandbox/wire.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "runtime/text/utf8.h"

size_t eds_frame_begin(struct rt_buffer *out, uint32_t kind)
{
	size_t begin = out->length;

	eds_put_u32(out, 0);
	eds_put_u32(out, kind);
	return begin;
}

void eds_frame_end(struct rt_buffer *out, size_t begin)
{
	uint32_t bytes;

	if (out->overflow)
		return;
	bytes = (uint32_t)(out->length - begin - EDS_FRAME_HEADER_BYTES);
	memcpy(out->bytes + begin, &bytes, sizeof bytes);
}

void eds_put_u8(struct rt_buffer *out, unsigned value)
{
	uint8_t number = (uint8_t)value;

	rt_buffer_add(out, &number, sizeof number);
}

void eds_put_u16(struct rt_buffer *out, unsigned value)
{
	uint16_t number = (uint16_t)value;

	rt_buffer_add(out, &number, sizeof number);
}

void eds_put_u32(struct rt_buffer *out, uint32_t value)
{
	rt_buffer_add(out, &value, sizeof value);
}

void eds_put_i64(struct rt_buffer *out, int64_t value)
{
	rt_buffer_add(out, &value, sizeof value);
}

void eds_put_bytes(struct rt_buffer *out, const void *bytes, size_t length)
{
	eds_put_u32(out, (uint32_t)length);
	rt_buffer_add(out, bytes, length);
}

void eds_put_text(struct rt_buffer *out, const char *text, size_t max)
{
	eds_put_bytes(out, text == NULL ? "" : text, text == NULL ? 0 : strnlen(text, max));
}

/* Takes the next `length` octets of the payload. When the payload has fewer, marks the frame as bad
 * and returns NULL. */
static const char *take(struct eds_wire *wire, size_t length)
{
	const char *bytes = wire->at;

	if (wire->bad || (size_t)(wire->end - wire->at) < length) {
		wire->bad = true;
		return NULL;
	}
	wire->at += length;
	return bytes;
}

static void take_number(struct eds_wire *wire, void *number, size_t length)
{
	const char *bytes = take(wire, length);

	if (bytes == NULL)
		memset(number, 0, length);
	else
		memcpy(number, bytes, length);
}

void eds_get_octets(struct eds_wire *wire, void *octets, size_t length)
{
	take_number(wire, octets, length);
}

uint8_t eds_get_u8(struct eds_wire *wire)
{
	uint8_t number;

	take_number(wire, &number, sizeof number);
	return number;
}

uint16_t eds_get_u16(struct eds_wire *wire)
{
	uint16_t number;

	take_number(wire, &number, sizeof number);
	return number;
}

uint32_t eds_get_u32(struct eds_wire *wire)
{
	uint32_t number;

	take_number(wire, &number, sizeof number);
	return number;
}

int64_t eds_get_i64(struct eds_wire *wire)
{
	int64_t number;

	take_number(wire, &number, sizeof number);
	return number;
}

uint32_t eds_get_count(struct eds_wire *wire, uint32_t max)
{
	uint32_t number = eds_get_u32(wire);

	if (number <= max)
		return number;
	wire->bad = true;
	return 0;
}

unsigned eds_get_enum(struct eds_wire *wire, unsigned max)
{
	unsigned number = eds_get_u8(wire);

	if (number <= max)
		return number;
	wire->bad = true;
	return 0;
}

bool eds_get_bool(struct eds_wire *wire)
{
	return eds_get_enum(wire, 1) == 1;
}

/* Reads a length and the octets after it. Returns the octets where they are, without a copy; ""
 * when the frame is bad. */
static const char *take_bytes(struct eds_wire *wire, size_t max, size_t *length)
{
	const char *bytes;

	*length = eds_get_count(wire, (uint32_t)max);
	bytes = take(wire, *length);
	if (bytes != NULL)
		return bytes;
	*length = 0;
	return "";
}

const char *eds_get_bytes(struct rt_ctx *ctx, struct eds_wire *wire, size_t max, size_t *length)
{
	const char *bytes = take_bytes(wire, max, length);

	return *length == 0 ? "" : rt_memdup(ctx, bytes, *length);
}

const char *eds_get_text(struct rt_ctx *ctx, struct eds_wire *wire, size_t max)
{
	size_t length;
	const char *text = eds_get_bytes(ctx, wire, max, &length);

	if (memchr(text, '\0', length) == NULL)
		return text;
	wire->bad = true;
	return "";
}

static const char *repaired(struct rt_ctx *ctx, const char *text, size_t length)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, length * strlen(RT_UTF8_REPLACEMENT) + 1);
	rt_utf8_add(&out, text, length);
	return out.bytes;
}

const char *eds_get_shown(struct rt_ctx *ctx, struct eds_wire *wire, size_t max)
{
	const char *text = eds_get_text(ctx, wire, max);
	size_t length = strlen(text);

	return rt_utf8_is_text(text, length) ? text : repaired(ctx, text, length);
}

bool eds_wire_finished(const struct eds_wire *wire)
{
	return !wire->bad && wire->at == wire->end;
}

void eds_frame_reader_init(struct eds_frame_reader *reader, struct rt_ctx *ctx, int fd)
{
	*reader = (struct eds_frame_reader){.ctx = ctx, .fd = fd, .capacity = EDS_FRAME_READ_BYTES};
	reader->bytes = rt_arena_alloc_raw(ctx->arena, reader->capacity);
}

/* Makes room for one read after the data not yet returned. */
static void make_room(struct eds_frame_reader *reader)
{
	size_t left = reader->length - reader->start;
	char *bytes = reader->bytes;

	if (reader->capacity - reader->length > 0)
		return;
	if (left > reader->capacity / 2) {
		reader->capacity *= 2;
		bytes = rt_alloc(reader->ctx, reader->capacity);
	}
	memmove(bytes, reader->bytes + reader->start, left);
	reader->bytes = bytes;
	reader->start = 0;
	reader->length = left;
}

/* Reads from the socket once. Here EDS_FRAME_WHOLE only means that the read returned data. */
static enum eds_frame_state fill(struct eds_frame_reader *reader)
{
	ssize_t got;

	make_room(reader);
	do
		got = read(reader->fd, reader->bytes + reader->length,
			reader->capacity - reader->length);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return EDS_FRAME_AGAIN;
	if (got <= 0)
		return reader->length > reader->start ? EDS_FRAME_BAD : EDS_FRAME_ENDED;
	reader->length += (size_t)got;
	return EDS_FRAME_WHOLE;
}

/* Takes the frame at the start of the data; EDS_FRAME_AGAIN when it is incomplete. */
static enum eds_frame_state cut(
	struct eds_frame_reader *reader, uint32_t *kind, struct eds_wire *payload)
{
	const char *frame = reader->bytes + reader->start;
	size_t available = reader->length - reader->start;
	uint32_t bytes;

	if (available < EDS_FRAME_HEADER_BYTES)
		return EDS_FRAME_AGAIN;
	memcpy(&bytes, frame, sizeof bytes);
	memcpy(kind, frame + sizeof bytes, sizeof *kind);
	if (bytes > EDS_FRAME_BYTES_MAX)
		return EDS_FRAME_BAD;
	if (available - EDS_FRAME_HEADER_BYTES < bytes)
		return EDS_FRAME_AGAIN;
	payload->at = frame + EDS_FRAME_HEADER_BYTES;
	payload->end = payload->at + bytes;
	payload->bad = false;
	reader->start += EDS_FRAME_HEADER_BYTES + bytes;
	return EDS_FRAME_WHOLE;
}

enum eds_frame_state eds_frame_read(
	struct eds_frame_reader *reader, uint32_t *kind, struct eds_wire *payload)
{
	for (;;) {
		enum eds_frame_state state = cut(reader, kind, payload);

		if (state != EDS_FRAME_AGAIN)
			return state;
		state = fill(reader);
		if (state != EDS_FRAME_WHOLE)
			return state;
	}
}

bool eds_frame_reader_holds_more(const struct eds_frame_reader *reader)
{
	return reader->length > reader->start;
}
