#include "runtime/host/loop.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/arena.h"

static void *reallocate(void *memory, size_t bytes)
{
	void *made = realloc(memory, bytes);

	if (made == NULL && bytes > 0)
		rt_out_of_memory();
	return made;
}

static void *allocate(size_t bytes)
{
	return reallocate(NULL, bytes);
}

struct event_base *loop_new(void)
{
	struct event_base *base;

	event_set_mem_functions(allocate, reallocate, free);
	base = event_base_new();
	if (base == NULL) {
		fprintf(stderr, "the event loop cannot be made: %m\n");
		exit(RT_EXIT_MEMORY);
	}
	return base;
}
