#include "functions/lib/heap.h"

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	STEP_BYTES = 512 * 1024,
	LARGEST_BYTES = 96 * 1024, /* the C library takes a piece of this size from the heap; it
				      maps memory for much larger ones */
	SMALLEST_BYTES = 24,
	LISTED_BYTES = 1032, /* the C library keeps lists of freed pieces up to this size */
	LISTED_STEP = 16,
	PIECES_MAX = 65536, /* maximum number of pieces of one size to take, because C libraries
			     * that place pieces in another way could give pieces without end */
};

void eds_heap_widen(void)
{
	mallopt(M_TOP_PAD, STEP_BYTES);
}

/* The piece taken last. It is volatile, because the compiler would drop calls of malloc() whose
 * results nobody uses. */
static char *volatile taken;

/* Takes all free pieces of at least this size that lie before end, and one piece behind them. When
 * that last piece is larger than LISTED_BYTES, gives it back: it joins the free room at the end of
 * the heap. The C library would put a smaller piece into a list, and a child would take it from
 * there. */
static void take_pieces(size_t bytes, uintptr_t end)
{
	size_t count = 0;

	do
		taken = malloc(bytes);
	while (taken != NULL && (uintptr_t)taken < end && ++count < PIECES_MAX);
	if (bytes > LISTED_BYTES)
		free(taken);
}

/* Does nothing in sanitizer builds, since their allocator puts pieces anywhere. */
void eds_heap_fill_gaps(void)
{
#ifndef RT_ARENA_MALLOC
	char *last = malloc(LARGEST_BYTES);
	uintptr_t end = (uintptr_t)last;

	free(last);
	for (size_t bytes = LARGEST_BYTES / 2; bytes > LISTED_BYTES; bytes /= 2)
		take_pieces(bytes, end);
	for (size_t bytes = LISTED_BYTES; bytes >= SMALLEST_BYTES; bytes -= LISTED_STEP)
		take_pieces(bytes, end);
#endif
}
