#include "functions/tester/report/report-shape.h"
#include "runtime/json-format.h"

static json_t *count_json(uint64_t count)
{
	return json_integer((json_int_t)count);
}

static json_t *part_json(struct rt_ctx *ctx, const struct eds_shape_part *part)
{
	json_t *object = json_object();

	rt_json_set(object, "level", count_json(part->level));
	rt_json_set_text(ctx, object, "type", part->type);
	rt_json_set_text(ctx, object, "file", part->file[0] != '\0' ? part->file : NULL);
	rt_json_set(object, "attached", json_boolean(part->attached));
	rt_json_set(object, "bytes", part->container ? json_null() : count_json(part->bytes));
	return object;
}

static json_t *parts_json(struct rt_ctx *ctx, const struct eds_shape *shape)
{
	json_t *array = json_array();

	for (size_t i = 0; i < shape->part_count; i++)
		rt_json_append(array, part_json(ctx, &shape->parts[i]));
	return array;
}

static json_t *links_json(struct rt_ctx *ctx, const struct eds_shape *shape)
{
	json_t *object = json_object();
	json_t *domains = json_array();

	for (size_t i = 0; i < shape->domain_count; i++)
		rt_json_append(domains, rt_json_text(ctx, shape->domains[i]));
	rt_json_set(object, "count", count_json(shape->links));
	rt_json_set(object, "domains", domains);
	rt_json_set(object, "whole", json_boolean(shape->whole && !shape->more_domains));
	return object;
}

/* The word that says whether the HTML has a plain text alternative. Filters distrust HTML without
 * one. */
static const char *alternative_word(const struct eds_shape *shape)
{
	if (shape->failure[0] != '\0')
		return "unknown";
	if (!shape->has_html)
		return "not-applicable";
	return shape->alternative ? "present" : "missing";
}

json_t *report_shape_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_shape *shape = &analysis->shape;
	bool read = shape->failure[0] == '\0';
	json_t *object = json_object();
	json_t *images = json_object();

	rt_json_set_text(ctx, object, "state", read ? "read" : "unknown");
	rt_json_set_text(ctx, object, "reason", read ? NULL : shape->failure);
	rt_json_set(object, "bytes", count_json(analysis->message_bytes));
	rt_json_set(object, "parts", parts_json(ctx, shape));
	rt_json_set(object, "otherParts", count_json(shape->other_parts));
	rt_json_set_text(ctx, object, "textAlternative", alternative_word(shape));
	rt_json_set(object, "attachments", count_json(shape->attachments));
	rt_json_set(object, "links", links_json(ctx, shape));
	rt_json_set(images, "attached", count_json(shape->images));
	rt_json_set(images, "remote", count_json(shape->remote_images));
	rt_json_set(object, "images", images);
	return object;
}
