/* A growing byte buffer with a maximum: in the memory of an event, or on the heap for data that
 * outlives events. In both cases a process that is out of memory ends (runtime/arena.h).
 *
 *     rt_buffer_init(&text, ctx, TEXT_BYTES_MAX);       freed with the event
 *     rt_buffer_init_heap(&text, TEXT_BYTES_MAX);       freed by rt_buffer_done()
 */
#ifndef RT_BUFFER_H
#define RT_BUFFER_H

#include <string.h>

#include "runtime/ctx.h"

struct rt_buffer {
	struct rt_ctx *ctx; /* context whose arena has the bytes; NULL: they are on the heap */
	/* the content, followed by a NUL; NULL while a buffer on the heap has no memory */
	char *bytes;
	size_t length;
	size_t capacity;
	size_t max;    /* maximum value of length */
	bool overflow; /* an addition did not fit; the bytes added before it are kept */
};

void rt_buffer_init(struct rt_buffer *buffer, struct rt_ctx *ctx, size_t max);
void rt_buffer_init_heap(struct rt_buffer *buffer, size_t max);
/* Frees the bytes of a buffer on the heap, which is then empty and may be used again. */
void rt_buffer_done(struct rt_buffer *buffer);
/* Empties the buffer and keeps its memory. */
void rt_buffer_clear(struct rt_buffer *buffer);

void rt_buffer_add(struct rt_buffer *buffer, const void *bytes, size_t length);

/* Inline, because text is often put together from single characters. */
static inline void rt_buffer_byte(struct rt_buffer *buffer, char byte)
{
	if (buffer->capacity - buffer->length < 2 || buffer->length == buffer->max ||
		buffer->overflow) {
		rt_buffer_add(buffer, &byte, 1);
		return;
	}
	buffer->bytes[buffer->length++] = byte;
	buffer->bytes[buffer->length] = '\0';
}

/* Inline, so that the compiler computes the length of a literal. */
static inline void rt_buffer_text(struct rt_buffer *buffer, const char *text)
{
	rt_buffer_add(buffer, text, strlen(text));
}
/* Reserves room for `length` more octets after the content. The caller writes octets there and
 * passes their number to rt_buffer_used(). NULL, with overflow set, if the maximum would be
 * exceeded or was exceeded before. */
char *rt_buffer_room(struct rt_buffer *buffer, size_t length);
void rt_buffer_used(struct rt_buffer *buffer, size_t length);
void rt_buffer_integer(struct rt_buffer *buffer, int64_t value);
void rt_buffer_format(struct rt_buffer *buffer, const char *format, ...) RT_PRINTF(2, 3);

#endif
