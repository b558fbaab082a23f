#include "functions/lib/reports/xml-memory.h"

#include <malloc.h>
#include <stdlib.h>

static size_t held;

/* What malloc rounds up may reach past the cap. */
static size_t left(void)
{
	return held < EDS_XML_MEMORY_MAX ? EDS_XML_MEMORY_MAX - held : 0;
}

static void *take(size_t length)
{
	void *memory = length > left() ? NULL : malloc(length);

	held += malloc_usable_size(memory);
	return memory;
}

/* The old piece is still there while the new one is filled. */
static void *take_anew(void *old, size_t length)
{
	size_t old_length = malloc_usable_size(old);
	void *memory = length > left() ? NULL : realloc(old, length);

	if (memory != NULL)
		held += malloc_usable_size(memory) - old_length;
	return memory;
}

static void give_back(void *memory)
{
	held -= malloc_usable_size(memory);
	free(memory);
}

const XML_Memory_Handling_Suite eds_xml_memory = {take, take_anew, give_back};
