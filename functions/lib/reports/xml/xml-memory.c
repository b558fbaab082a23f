#include "functions/lib/reports/xml/xml-memory.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

static size_t held;

/* True when this many more octets fit under the cap. malloc rounds lengths up, so the memory may
 * exceed the cap slightly. */
static bool fits(size_t length)
{
	return length > 0 && held + length <= EDS_XML_MEMORY_MAX;
}

static void *take(size_t length)
{
	void *memory = fits(length) ? malloc(length) : NULL;

	held += malloc_usable_size(memory);
	return memory;
}

/* Gives a piece of memory a new size. Counts the old and the new piece when it applies the cap,
 * since the old piece still exists while the new one is filled. */
static void *take_anew(void *old, size_t length)
{
	size_t old_length = malloc_usable_size(old);
	void *memory = fits(length) ? realloc(old, length) : NULL;

	if (memory != NULL)
		held += malloc_usable_size(memory) - old_length;
	return memory;
}

static void give_back(void *memory)
{
	held -= malloc_usable_size(memory);
	free(memory);
}

const XML_Memory_Handling_Suite eds_xml_memory = {
	.malloc_fcn = take,
	.realloc_fcn = take_anew,
	.free_fcn = give_back,
};
