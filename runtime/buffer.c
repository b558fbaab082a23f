#include "runtime/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/text/decimal.h"

enum {
	FIRST_BYTES = 256,
	FIRST_HEAP_BYTES = 1024,
};

void rt_buffer_init(struct rt_buffer *buffer, struct rt_ctx *ctx, size_t max)
{
	*buffer = (struct rt_buffer){.ctx = ctx, .max = max, .capacity = FIRST_BYTES};
	buffer->bytes = rt_arena_alloc_raw(ctx->arena, FIRST_BYTES);
	buffer->bytes[0] = '\0';
}

void rt_buffer_init_heap(struct rt_buffer *buffer, size_t max)
{
	*buffer = (struct rt_buffer){.max = max};
}

void rt_buffer_done(struct rt_buffer *buffer)
{
	free(buffer->bytes);
	rt_buffer_init_heap(buffer, buffer->max);
}

void rt_buffer_clear(struct rt_buffer *buffer)
{
	buffer->length = 0;
	buffer->overflow = false;
	if (buffer->bytes != NULL)
		buffer->bytes[0] = '\0';
}

/* Allocates a larger block. In an arena a small block is only freed at the reset. So the capacity
 * is doubled each time, to waste little memory. */
static char *larger(const struct rt_buffer *buffer, size_t capacity)
{
	char *bytes;

	if (buffer->ctx != NULL)
		return rt_arena_grow(
			buffer->ctx->arena, buffer->bytes, buffer->length + 1, capacity);
	bytes = realloc(buffer->bytes, capacity);
	if (bytes == NULL)
		rt_out_of_memory();
	return bytes;
}

static void grow(struct rt_buffer *buffer, size_t needed)
{
	size_t capacity = buffer->capacity > 0 ? buffer->capacity : FIRST_HEAP_BYTES;

	while (capacity < needed)
		capacity *= 2;
	buffer->bytes = larger(buffer, capacity);
	buffer->capacity = capacity;
}

char *rt_buffer_room(struct rt_buffer *buffer, size_t length)
{
	if (buffer->overflow || length > buffer->max - buffer->length) {
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
