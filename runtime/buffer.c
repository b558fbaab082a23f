#include "runtime/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/decimal.h"

enum {
	FIRST_BYTES = 256,
};

void rt_buffer_init(struct rt_buffer *buffer, struct rt_ctx *ctx, size_t max)
{
	*buffer = (struct rt_buffer){.ctx = ctx, .max = max, .capacity = FIRST_BYTES};
	buffer->bytes = rt_arena_alloc_raw(ctx->arena, FIRST_BYTES);
	buffer->bytes[0] = '\0';
}

/* The old bytes stay in the arena until its reset, so the capacity doubles to waste little. */
static void grow(struct rt_buffer *buffer, size_t needed)
{
	size_t capacity = buffer->capacity;
	char *bytes;

	while (capacity < needed)
		capacity *= 2;
	bytes = rt_arena_alloc_raw(buffer->ctx->arena, capacity);
	memcpy(bytes, buffer->bytes, buffer->length + 1);
	buffer->bytes = bytes;
	buffer->capacity = capacity;
}

char *rt_buffer_room(struct rt_buffer *buffer, size_t length)
{
	if (length > buffer->max - buffer->length) {
		buffer->overflow = true;
		return NULL;
	}
	if (buffer->capacity - buffer->length <= length)
		grow(buffer, buffer->length + length + 1);
	return buffer->bytes + buffer->length;
}

void rt_buffer_used(struct rt_buffer *buffer, size_t length)
{
	buffer->length += length;
	buffer->bytes[buffer->length] = '\0';
}

void rt_buffer_add(struct rt_buffer *buffer, const void *bytes, size_t length)
{
	char *room = rt_buffer_room(buffer, length);

	if (room == NULL)
		return;
	if (length > 0)
		memcpy(room, bytes, length);
	rt_buffer_used(buffer, length);
}

void rt_buffer_text(struct rt_buffer *buffer, const char *text)
{
	rt_buffer_add(buffer, text, strlen(text));
}

void rt_buffer_integer(struct rt_buffer *buffer, int64_t value)
{
	char digits[RT_DECIMAL_MAX];
	const char *start = rt_decimal_signed(digits + sizeof digits, value);

	rt_buffer_add(buffer, start, (size_t)(digits + sizeof digits - start));
}

void rt_buffer_format(struct rt_buffer *buffer, const char *format, ...)
{
	va_list arguments;
	va_list again;
	char *room;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	room = length >= 0 ? rt_buffer_room(buffer, (size_t)length) : NULL;
	if (length < 0)
		buffer->overflow = true;
	if (room != NULL) {
		vsnprintf(room, (size_t)length + 1, format, again);
		rt_buffer_used(buffer, (size_t)length);
	}
	va_end(again);
	va_end(arguments);
}
