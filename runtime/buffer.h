/* A growing byte buffer with a maximum: in the memory of an event, or on the heap for what outlives
 * events. A process that is out of memory reports it and ends, with either (runtime/arena.h).
 *
 *     rt_buffer_init(&text, ctx, TEXT_BYTES_MAX);       freed with the event
 *     rt_buffer_init_heap(&text, TEXT_BYTES_MAX);       reused after rt_buffer_clear(), freed by
 * rt_buffer_done()
 */
#ifndef RT_BUFFER_H
#define RT_BUFFER_H

#include <string.h>

#include "runtime/ctx.h"

struct rt_buffer {
	struct rt_ctx *ctx; /* whose arena holds the bytes; NULL: they are on the heap */
	char *bytes;        /* a NUL follows them; on the heap, NULL until something is added */
	size_t length;
	size_t capacity;
	size_t max;    /* bytes that may be held */
	bool overflow; /* something did not fit; the buffer holds the bytes before it */
};

void rt_buffer_init(struct rt_buffer *buffer, struct rt_ctx *ctx, size_t max);
void rt_buffer_init_heap(struct rt_buffer *buffer, size_t max);
/* Frees the bytes of a buffer on the heap, which is then empty and may be used again. */
void rt_buffer_done(struct rt_buffer *buffer);
/* Empties the buffer and keeps its memory. */
void rt_buffer_clear(struct rt_buffer *buffer);

void rt_buffer_add(struct rt_buffer *buffer, const void *bytes, size_t length);

/* In the header, so that the length of a literal is known where it is added. */
static inline void rt_buffer_text(struct rt_buffer *buffer, const char *text)
{
	rt_buffer_add(buffer, text, strlen(text));
}
/* Reserves room for length more octets after the content; the caller writes octets there and tells
 * rt_buffer_used() how many. NULL and overflow above the maximum, and from then on. */
char *rt_buffer_room(struct rt_buffer *buffer, size_t length);
void rt_buffer_used(struct rt_buffer *buffer, size_t length);
void rt_buffer_integer(struct rt_buffer *buffer, int64_t value);
void rt_buffer_format(struct rt_buffer *buffer, const char *format, ...) RT_PRINTF(2, 3);

#endif
