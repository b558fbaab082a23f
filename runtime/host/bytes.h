/* A growing byte buffer of what hosts functions, with a named cap; it outlives events, so it is no
 * arena's.
 *
 * Reused from request to request: bytes_clear keeps the memory. A process out of memory says so and
 * ends, as with arenas.
 */
#ifndef HOST_BYTES_H
#define HOST_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/status.h"

struct bytes {
	char *data; /* NULL while nothing was added */
	size_t length;
	size_t capacity;
	size_t max;    /* bytes that may be held */
	bool overflow; /* something did not fit; what came before it is held */
};

void bytes_init(struct bytes *bytes, size_t max);
void bytes_done(struct bytes *bytes);
void bytes_clear(struct bytes *bytes);

/* Room for more bytes at data + length; NULL and overflow when that passes the cap. The caller adds
 * to length what it wrote. */
char *bytes_room(struct bytes *bytes, size_t more);
void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_text(struct bytes *bytes, const char *text);
void bytes_format(struct bytes *bytes, const char *format, ...) RT_PRINTF(2, 3);
void bytes_number(struct bytes *bytes, int64_t number);

#endif
