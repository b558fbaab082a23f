/* A message and its shape: the child's result must pass the checks of the parent. The same octets
 * are also read as a frame from a child that was taken over, which must be valid if the parent
 * accepts it. */
#include "functions/lib/sandbox/protocol-shape-read.h"
#include "functions/lib/sandbox/protocol-shape.h"
#include "functions/lib/sandbox/protocol.h"
#include "runtime/text/utf8.h"
#include "tests/fuzz/fuzz.h"

static void require_shown(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0, octets; i < length; i += octets) {
		octets = rt_utf8_length(text + i, length - i);
		FUZZ_ASSERT(octets > 0);
	}
}

static void require_sound_shape(const struct eds_shape *shape)
{
	FUZZ_ASSERT(shape->part_count <= EDS_SHAPE_PARTS_MAX);
	FUZZ_ASSERT(shape->domain_count <= EDS_SHAPE_DOMAINS_MAX);
	require_shown(shape->failure);
	for (size_t i = 0; i < shape->part_count; i++) {
		require_shown(shape->parts[i].type);
		require_shown(shape->parts[i].file);
		FUZZ_ASSERT(shape->parts[i].level <= EDS_SHAPE_LEVELS_MAX);
	}
	for (size_t i = 0; i < shape->domain_count; i++)
		for (const char *c = shape->domains[i]; *c != '\0'; c++)
			FUZZ_ASSERT(strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.:", *c) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_shape shape;
	struct rt_buffer out;
	struct eds_wire wire = {.at = (const char *)data, .end = (const char *)data + size};

	if (eds_get_shape(&ctx, &wire, &shape))
		require_sound_shape(&shape);
	eds_shape_find(&ctx, (const char *)data, size, &shape);
	rt_buffer_init(&out, &ctx, EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES);
	eds_put_shape(&out, &shape);
	FUZZ_ASSERT(!out.overflow);
	wire = (struct eds_wire){
		.at = out.bytes + EDS_FRAME_HEADER_BYTES, .end = out.bytes + out.length};
	FUZZ_ASSERT(eds_get_shape(&ctx, &wire, &shape));
	require_sound_shape(&shape);
	fuzz_end(&ctx);
	return 0;
}
