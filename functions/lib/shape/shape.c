#include "functions/lib/shape/shape.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/shape/links.h"
#include "functions/lib/shape/parts.h"

/* The state of a walk that finds a shape. */
struct shaping {
	struct rt_ctx *ctx;
	struct eds_shape *shape;
	size_t text_left; /* number of octets of texts that may still be searched */
	size_t texts;     /* number of plain text parts seen so far, without attachments */
	size_t htmls;
	struct {
		size_t texts; /* number of plain text parts before the object at this level */
		size_t htmls;
	} before[EDS_SHAPE_LEVELS_MAX + 1];
};

static unsigned level_of(const struct eds_part *object)
{
	return object->level < EDS_SHAPE_LEVELS_MAX ? object->level : EDS_SHAPE_LEVELS_MAX;
}

static bool is(const struct eds_part *object, const char *type, const char *subtype)
{
	return strcasecmp(object->fields->type, type) == 0 &&
		(subtype == NULL || strcasecmp(object->fields->subtype, subtype) == 0);
}

/* True for parts that mail programs show as attachments, even when the sender did not mark them
 * so. */
static bool is_attached(const struct eds_part *object)
{
	if (object->kind == EDS_PART_MULTIPART)
		return false;
	return strcasecmp(object->fields->disposition, "attachment") == 0 ||
		is(object, "application", NULL) || is(object, "audio", NULL) ||
		is(object, "video", NULL);
}

static void note_kind(struct shaping *shaping, const struct eds_part *object, bool attached)
{
	struct eds_shape *shape = shaping->shape;

	shape->attachments += attached;
	shape->images += is(object, "image", NULL);
	if (attached || object->kind != EDS_PART_LEAF)
		return;
	if (is(object, "text", "plain")) {
		shape->has_text = true;
		shaping->texts++;
	} else if (is(object, "text", "html")) {
		shape->has_html = true;
		shaping->htmls++;
	}
}

static const char *cut(struct rt_ctx *ctx, const char *text, size_t max)
{
	return rt_memdup(ctx, text, strnlen(text, max));
}

static void add_part(struct shaping *shaping, const struct eds_part *object, bool attached)
{
	struct eds_shape *shape = shaping->shape;
	struct rt_ctx *ctx = shaping->ctx;

	if (shape->part_count == EDS_SHAPE_PARTS_MAX) {
		shape->other_parts++;
		return;
	}
	shape->parts[shape->part_count++] = (struct eds_shape_part){
		.level = level_of(object),
		.type = rt_lower(ctx,
			cut(ctx,
				rt_printf(ctx, "%.100s/%.100s", object->fields->type,
					object->fields->subtype),
				EDS_SHAPE_TYPE_MAX)),
		.file = cut(ctx, object->kind == EDS_PART_LEAF ? object->fields->file : "",
			EDS_SHAPE_NAME_MAX),
		.attached = attached,
		.container = object->kind != EDS_PART_LEAF,
	};
}

static void enter(void *arg, const struct eds_part *object)
{
	struct shaping *shaping = arg;
	bool attached = is_attached(object);

	shaping->before[level_of(object)].texts = shaping->texts;
	shaping->before[level_of(object)].htmls = shaping->htmls;
	note_kind(shaping, object, attached);
	add_part(shaping, object, attached);
}

static void leave(void *arg, const struct eds_part *object)
{
	struct shaping *shaping = arg;

	if (is(object, "multipart", "alternative") &&
		shaping->texts > shaping->before[level_of(object)].texts &&
		shaping->htmls > shaping->before[level_of(object)].htmls)
		shaping->shape->alternative = true;
}

/* Decodes a text, at most text_left octets of it. *bytes is the size of the whole decoded text. */
static struct eds_text look_at(struct shaping *shaping, enum eds_part_encoding encoding,
	const char *octets, size_t length, uint64_t *bytes)
{
	struct eds_text text = {.octets = octets};
	size_t room = length < shaping->text_left ? length : shaping->text_left;
	char *decoded;

	if (encoding == EDS_PART_IDENTITY) {
		*bytes = length;
	} else {
		decoded = rt_arena_alloc_raw(shaping->ctx->arena, room);
		*bytes = eds_part_decode(encoding, octets, length, decoded, room);
		text.octets = decoded;
	}
	text.length = *bytes < room ? (size_t)*bytes : room;
	if (text.length < *bytes)
		shaping->shape->whole = false;
	shaping->text_left -= text.length;
	return text;
}

static void content(void *arg, const struct eds_part *object, const char *octets, size_t length)
{
	struct shaping *shaping = arg;
	struct eds_shape *shape = shaping->shape;
	enum eds_part_encoding encoding = object->fields->encoding;
	bool html = is(object, "text", "html");
	uint64_t bytes;

	if ((html || is(object, "text", "plain")) && !is_attached(object)) {
		struct eds_text text = look_at(shaping, encoding, octets, length, &bytes);

		eds_shape_find_links(shaping->ctx, &text, html, shape);
	} else {
		bytes = eds_part_decode(encoding, octets, length, NULL, 0);
	}
	if (shape->other_parts == 0)
		shape->parts[shape->part_count - 1].bytes = bytes;
}

void eds_shape_find(struct rt_ctx *ctx, const char *message, size_t length, struct eds_shape *shape)
{
	struct shaping shaping = {
		.ctx = ctx, .shape = shape, .text_left = EDS_SHAPE_TEXT_BYTES_MAX};
	const struct eds_part_visitor visitor = {
		.enter = enter, .leave = leave, .content = content, .arg = &shaping};

	*shape = (struct eds_shape){.failure = "", .whole = true};
	if (!eds_parts_walk(ctx, &visitor, message, length))
		*shape = (struct eds_shape){
			.failure =
				"The message has more parts, or longer header fields, than are read."};
}
