#include "functions/lib/shape/parts.h"

#include <string.h>
#include <strings.h>

/* An open object is a multipart or message that has not ended yet: the parts that follow are inside
 * it. */
struct frame {
	struct eds_part object;
	struct eds_part_fields fields;
	size_t boundary_length; /* octets of the boundary; 0 for a message, which has none */
	bool digest;
};

struct walk {
	struct rt_ctx *ctx;
	struct rt_ctx fields_ctx; /* memory of the header that is being read */
	const struct eds_part_visitor *visitor;
	const char *at;
	const char *end;
	size_t parts;
	size_t depth; /* number of frames in use, one for each open object */
	struct frame frames[EDS_PART_LEVELS_MAX];
};

/* A boundary line: its place, and the frame whose boundary it has. */
struct separator {
	const char *line; /* start of the line; the end of the message when there is no boundary */
	const char *next; /* start of the line after the boundary */
	size_t frame;     /* index of the frame with this boundary */
	bool found;
	bool last; /* true for the closing boundary */
};

static const char *line_end(const struct walk *walk, const char *line)
{
	const char *newline = memchr(line, '\n', (size_t)(walk->end - line));

	return newline == NULL ? walk->end : newline + 1;
}

/* True when only white space follows a boundary, which is allowed (RFC 2046 section 5.1.1). */
static bool is_blank(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
		at++;
	return at == end;
}

static bool matches(const struct frame *frame, const char *line, const char *next, bool *last)
{
	size_t length = frame->boundary_length;
	const char *rest = line + 2 + length;

	if (length == 0 || (size_t)(next - line) < 2 + length ||
		memcmp(line + 2, frame->fields.boundary, length) != 0)
		return false;
	*last = next - rest >= 2 && rest[0] == '-' && rest[1] == '-';
	return is_blank(*last ? rest + 2 : rest, next);
}

/* Finds the innermost frame that the line is a boundary of. */
static bool is_separator(const struct walk *walk, const char *line, struct separator *separator)
{
	const char *next;

	if (walk->end - line < 2 || line[0] != '-' || line[1] != '-')
		return false;
	next = line_end(walk, line);
	for (size_t i = walk->depth; i > 0; i--) {
		if (matches(&walk->frames[i - 1], line, next, &separator->last)) {
			separator->found = true;
			separator->line = line;
			separator->next = next;
			separator->frame = i - 1;
			return true;
		}
	}
	return false;
}

static bool any_boundary(const struct walk *walk)
{
	for (size_t i = 0; i < walk->depth; i++)
		if (walk->frames[i].boundary_length > 0)
			return true;
	return false;
}

/* Finds the next boundary, from the line at walk->at. */
static void find_separator(const struct walk *walk, struct separator *separator)
{
	*separator = (struct separator){.line = walk->end, .next = walk->end};
	if (!any_boundary(walk))
		return;
	for (const char *line = walk->at; line < walk->end; line = line_end(walk, line))
		if (is_separator(walk, line, separator))
			return;
}

static bool is_empty_line(const char *line, const char *next)
{
	return line[0] == '\n' || (next - line == 2 && line[0] == '\r' && line[1] == '\n');
}

/* The place after the empty line that ends the header, or of the boundary that cuts the header off,
 * or else the end of the message. */
static const char *header_end(const struct walk *walk)
{
	struct separator ignored;
	const char *line = walk->at;

	while (line < walk->end && !is_separator(walk, line, &ignored)) {
		const char *next = line_end(walk, line);

		if (is_empty_line(line, next))
			return next;
		line = next;
	}
	return line;
}

/* An enclosed message is read only when it is not encoded (RFC 2046 section 5.2.1 forbids base64
 * and quoted-printable). */
static enum eds_part_kind kind_of(const struct eds_part_fields *fields)
{
	if (strcasecmp(fields->type, "multipart") == 0)
		return EDS_PART_MULTIPART;
	if (strcasecmp(fields->type, "message") == 0 && fields->encoding == EDS_PART_IDENTITY &&
		(strcasecmp(fields->subtype, "rfc822") == 0 ||
			strcasecmp(fields->subtype, "global") == 0))
		return EDS_PART_MESSAGE;
	return EDS_PART_LEAF;
}

static bool in_digest(const struct walk *walk)
{
	return walk->depth > 0 && walk->frames[walk->depth - 1].digest;
}

static bool read_header(struct walk *walk, struct eds_part_fields *fields)
{
	const char *end = header_end(walk);
	struct eds_header header;

	rt_arena_reset(walk->fields_ctx.arena);
	eds_header_read(&walk->fields_ctx, walk->at, (size_t)(end - walk->at), &header);
	eds_part_fields_read(&walk->fields_ctx, &header, in_digest(walk), fields);
	walk->at = end;
	return header.limit[0] == '\0';
}

static bool open_frame(struct walk *walk, const struct eds_part *object)
{
	struct rt_ctx *ctx = walk->ctx;
	struct frame *frame;

	if (walk->depth == EDS_PART_LEVELS_MAX)
		return false;
	frame = &walk->frames[walk->depth++];
	frame->object = *object;
	frame->object.fields = &frame->fields;
	frame->fields = (struct eds_part_fields){.type = rt_strdup(ctx, object->fields->type),
		.subtype = rt_strdup(ctx, object->fields->subtype),
		.boundary = rt_strdup(ctx, object->fields->boundary),
		.disposition = rt_strdup(ctx, object->fields->disposition),
		.file = rt_strdup(ctx, object->fields->file)};
	frame->boundary_length = object->kind == EDS_PART_MULTIPART ? strlen(frame->fields.boundary)
								    : 0;
	frame->digest = object->kind == EDS_PART_MULTIPART &&
		strcasecmp(object->fields->subtype, "digest") == 0;
	return true;
}

static void close_frames(struct walk *walk, size_t depth)
{
	const struct eds_part_visitor *visitor = walk->visitor;

	while (walk->depth > depth)
		visitor->leave(visitor->arg, &walk->frames[--walk->depth].object);
}

/* The number of octets of the contents before a boundary line. The line end before that line
 * belongs to the boundary (RFC 2046 section 5.1.1). */
static size_t content_length(const char *begin, const struct separator *separator)
{
	const char *end = separator->line;

	if (separator->found && end > begin && end[-1] == '\n') {
		end--;
		if (end > begin && end[-1] == '\r')
			end--;
	}
	return (size_t)(end - begin);
}

/* Reads the header at walk->at, and for a leaf also the contents. For a multipart or message,
 * walk->at is then the start of the contents. */
static bool read_object(struct walk *walk, enum eds_part_kind *kind)
{
	const struct eds_part_visitor *visitor = walk->visitor;
	struct eds_part_fields fields;
	struct eds_part object = {.level = (unsigned)walk->depth, .fields = &fields};
	struct separator separator;

	if (++walk->parts > EDS_PARTS_MAX || !read_header(walk, &fields))
		return false;
	object.kind = *kind = kind_of(&fields);
	visitor->enter(visitor->arg, &object);
	if (object.kind != EDS_PART_LEAF)
		return open_frame(walk, &object);
	find_separator(walk, &separator);
	visitor->content(visitor->arg, &object, walk->at, content_length(walk->at, &separator));
	visitor->leave(visitor->arg, &object);
	walk->at = separator.line;
	return true;
}

/* Skips the text between parts, to the next header; false at the end of the message. */
static bool next_object(struct walk *walk)
{
	struct separator separator;

	do {
		find_separator(walk, &separator);
		walk->at = separator.next;
		if (!separator.found)
			return false;
		close_frames(walk, separator.frame + (separator.last ? 0 : 1));
	} while (separator.last);
	return true;
}

bool eds_parts_walk(struct rt_ctx *ctx, const struct eds_part_visitor *visitor, const char *message,
	size_t length)
{
	struct walk walk = {.ctx = ctx,
		.fields_ctx = {.arena = rt_arena_new()},
		.visitor = visitor,
		.at = message,
		.end = message + length};
	enum eds_part_kind kind = EDS_PART_MESSAGE;
	bool within_limits = true;

	/* An enclosed message begins directly with its header. */
	while (within_limits && (kind == EDS_PART_MESSAGE || next_object(&walk)))
		within_limits = read_object(&walk, &kind);
	if (within_limits)
		close_frames(&walk, 0);
	rt_arena_free(walk.fields_ctx.arena);
	return within_limits;
}
