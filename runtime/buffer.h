/* A growing byte buffer with a named cap, in the event's memory. */
#ifndef RT_BUFFER_H
#define RT_BUFFER_H

#include "runtime/ctx.h"

struct rt_buffer {
	struct rt_ctx *ctx;
	char *bytes; /* NUL-terminated, never NULL */
	size_t length;
	size_t capacity;
	size_t max;    /* bytes that may be held */
	bool overflow; /* something did not fit; the buffer holds what came before it */
};

void rt_buffer_init(struct rt_buffer *buffer, struct rt_ctx *ctx, size_t max);
void rt_buffer_add(struct rt_buffer *buffer, const void *bytes, size_t length);
/* Room for so many more octets behind the length, to be written by the caller, who then says how
 * many they were; NULL past the cap. */
char *rt_buffer_room(struct rt_buffer *buffer, size_t length);
void rt_buffer_used(struct rt_buffer *buffer, size_t length);
void rt_buffer_text(struct rt_buffer *buffer, const char *text);
void rt_buffer_integer(struct rt_buffer *buffer, int64_t value);
void rt_buffer_format(struct rt_buffer *buffer, const char *format, ...) RT_PRINTF(2, 3);

#endif
