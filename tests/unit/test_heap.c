/* The heap of a helper program: what is allocated after its gaps were filled lies side by side, so
 * that a child touches few pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "functions/lib/heap.h"

enum {
	PIECES = 600,
	LONGEST = 3000,
	ROOM_BYTES = 400 * 1024, /* of the heap's end, in which the pieces below have room */
};

static size_t length_of(size_t i)
{
	return 24 + i * 37 % LONGEST;
}

/* Leaves free pieces of many sizes between others, as a warm-up does. */
static void make_gaps(void)
{
	static void *volatile pieces[PIECES];

	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = malloc(length_of(i));
		assert_non_null(pieces[i]);
	}
	for (size_t i = 0; i < PIECES; i += 2)
		free(pieces[i]);
}

static void pieces_after_the_gaps_were_filled_lie_side_by_side(void **state)
{
	static char *volatile pieces[PIECES];
	size_t total = 0;
	size_t count = 0;

	(void)state;
	eds_heap_widen();
	make_gaps();
	eds_heap_fill_gaps();
	for (; total + LONGEST < ROOM_BYTES; count++) {
		pieces[count] = malloc(length_of(count));
		assert_non_null(pieces[count]);
		total += length_of(count);
	}
#ifndef RT_ARENA_MALLOC
	/* the sanitizers' allocator puts pieces anywhere */
	for (size_t i = 1; i < count; i++)
		assert_in_range((uintptr_t)pieces[i] - (uintptr_t)pieces[i - 1], length_of(i - 1),
			length_of(i - 1) + 24);
#endif
	for (size_t i = 0; i < count; i++)
		free(pieces[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_after_the_gaps_were_filled_lie_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
