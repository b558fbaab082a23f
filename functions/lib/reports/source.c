#include "functions/lib/reports/source.h"

size_t eds_source_read(struct eds_source *source, const char **block)
{
	size_t length = source->held_length;

	if (length == 0)
		return source->pull(source, block);
	*block = source->held;
	source->held_length = 0;
	return length;
}

size_t eds_source_peek(struct eds_source *source, const char **block)
{
	if (source->held_length == 0)
		source->held_length = source->pull(source, &source->held);
	*block = source->held;
	return source->held_length;
}

void eds_source_drain(struct eds_source *source)
{
	const char *block;

	while (eds_source_read(source, &block) > 0)
		continue;
}

static size_t pull_memory(struct eds_source *source, const char **block)
{
	struct eds_memory_source *memory = (struct eds_memory_source *)source;
	size_t length = memory->left < EDS_SOURCE_BLOCK ? memory->left : EDS_SOURCE_BLOCK;

	*block = memory->at;
	memory->at += length;
	memory->left -= length;
	return length;
}

void eds_memory_source_init(struct eds_memory_source *memory, const char *bytes, size_t length)
{
	*memory = (struct eds_memory_source){
		.source = {.pull = pull_memory}, .at = bytes, .left = length};
}
