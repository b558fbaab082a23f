#include "functions/lib/dns/memory.h"

#include <stdlib.h>

#include "runtime/arena.h"

static void *there(void *memory, size_t bytes)
{
	if (memory == NULL && bytes > 0)
		rt_out_of_memory();
	return memory;
}

void *eds_dns_memory(size_t bytes)
{
	return there(malloc(bytes), bytes);
}

void *eds_dns_memory_resized(void *memory, size_t bytes)
{
	return there(realloc(memory, bytes), bytes);
}
