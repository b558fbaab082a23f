/* A growing byte buffer with a maximum, for the hosts of functions. It outlives events, so its
 * memory is not an arena's.
 *
 * Reused from request to request: bytes_clear keeps the memory. A process that is out of memory
 * reports it and ends, as with arenas.
 */
#ifndef HOST_BYTES_H
#define HOST_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/status.h"

struct bytes {
	char *data; /* NULL until something is added */
	size_t length;
	size_t capacity;
	size_t max;    /* bytes that may be held */
	bool overflow; /* something did not fit; the bytes before it are kept */
};

void bytes_init(struct bytes *bytes, size_t max);
void bytes_done(struct bytes *bytes);
void bytes_clear(struct bytes *bytes);

/* Room for more bytes at data + length; NULL and overflow above the maximum. The caller adds the
 * number of bytes that it wrote to length. */
char *bytes_room(struct bytes *bytes, size_t more);
void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_text(struct bytes *bytes, const char *text);
void bytes_format(struct bytes *bytes, const char *format, ...) RT_PRINTF(2, 3);
void bytes_number(struct bytes *bytes, int64_t number);

#endif
