#include "functions/lib/sandbox/protocol-shape.h"
#include "functions/lib/sandbox/protocol.h"

static void put_count(struct rt_buffer *out, size_t count)
{
	eds_put_u32(out, (uint32_t)count); /* a count of a message's parts fits into 32 bits */
}

static void put_part(struct rt_buffer *out, const struct eds_shape_part *part)
{
	eds_put_u32(out, part->level);
	eds_put_text(out, part->type, EDS_SHAPE_TYPE_MAX);
	eds_put_text(out, part->file, EDS_SHAPE_NAME_MAX);
	eds_put_u8(out, part->attached);
	eds_put_u8(out, part->container);
	put_count(out, part->bytes);
}

void eds_put_shape(struct rt_buffer *out, const struct eds_shape *shape)
{
	size_t begin = eds_frame_begin(out, EDS_FRAME_SHAPE);

	eds_put_text(out, shape->failure, EDS_SHAPE_FAILURE_MAX);
	put_count(out, shape->part_count);
	for (size_t i = 0; i < shape->part_count; i++)
		put_part(out, &shape->parts[i]);
	put_count(out, shape->other_parts);
	put_count(out, shape->attachments);
	put_count(out, shape->images);
	put_count(out, shape->remote_images);
	eds_put_u8(out, shape->has_text);
	eds_put_u8(out, shape->has_html);
	eds_put_u8(out, shape->alternative);
	put_count(out, shape->links);
	put_count(out, shape->domain_count);
	for (size_t i = 0; i < shape->domain_count; i++)
		eds_put_text(out, shape->domains[i], EDS_SHAPE_HOST_MAX);
	eds_put_u8(out, shape->more_domains);
	eds_put_u8(out, shape->whole);
	eds_frame_end(out, begin);
}
