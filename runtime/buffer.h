/* A growing byte buffer with a maximum, in the event's memory. */
#ifndef RT_BUFFER_H
#define RT_BUFFER_H

#include "runtime/ctx.h"

struct rt_buffer {
	struct rt_ctx *ctx;
	char *bytes; /* NUL-terminated, never NULL */
	size_t length;
	size_t capacity;
	size_t max;    /* bytes that may be held */
	bool overflow; /* something did not fit; the buffer holds the bytes before it */
};

void rt_buffer_init(struct rt_buffer *buffer, struct rt_ctx *ctx, size_t max);
void rt_buffer_add(struct rt_buffer *buffer, const void *bytes, size_t length);
/* Reserves room for length more octets after the content; the caller writes them and adds their
 * number to the length. NULL above the maximum. */
char *rt_buffer_room(struct rt_buffer *buffer, size_t length);
void rt_buffer_used(struct rt_buffer *buffer, size_t length);
void rt_buffer_text(struct rt_buffer *buffer, const char *text);
void rt_buffer_integer(struct rt_buffer *buffer, int64_t value);
void rt_buffer_format(struct rt_buffer *buffer, const char *format, ...) RT_PRINTF(2, 3);

#endif
