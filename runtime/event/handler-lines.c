#include "runtime/event/handler-lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/arena.h"

enum {
	READ_BYTES = 64 * 1024,
};

static void make_room(struct rt_lines *lines)
{
	if (lines->capacity - lines->end >= READ_BYTES)
		return;
	lines->end -= lines->start;
	if (lines->end > 0)
		memmove(lines->bytes, lines->bytes + lines->start, lines->end);
	lines->start = 0;
	if (lines->capacity - lines->end >= READ_BYTES)
		return;
	lines->capacity = lines->capacity * 2 + READ_BYTES;
	lines->bytes = realloc(lines->bytes, lines->capacity);
	if (lines->bytes == NULL)
		rt_out_of_memory();
}

ssize_t rt_lines_read(struct rt_lines *lines)
{
	ssize_t got;

	if (lines->start == lines->end)
		lines->start = lines->end = 0;
	make_room(lines);
	do {
		got = read(STDIN_FILENO, lines->bytes + lines->end, READ_BYTES);
	} while (got < 0 && errno == EINTR);
	lines->waited = true;
	if (got > 0)
		lines->end += (size_t)got;
	return got;
}

/* Splits a line like `#17=+ {…}` into tag and event; the tag is "" if the line has none. */
static void split_tag(struct rt_line *line)
{
	const char *space = line->event[0] == '#' ? memchr(line->event, ' ', line->length) : NULL;
	size_t length = space == NULL ? 0 : (size_t)(space - line->event) + 1;

	if (length > RT_TAG_MAX)
		length = 0;
	memcpy(line->tag, line->event, length);
	line->tag[length] = '\0';
	line->number = length > 0 ? strtoull(line->tag + 1, NULL, 10) : 0;
	line->wants_counts = length > 2 && line->tag[length - 2] == '+';
	line->wants_frame = line->wants_counts && line->tag[length - 3] == '=';
	line->event += length;
	line->length -= length;
}

static void take_line(struct rt_lines *lines, const char *newline, struct rt_line *line)
{
	line->event = lines->bytes + lines->start;
	line->length = (size_t)(newline - line->event);
	split_tag(line);
	if (lines->oversized)
		line->event = NULL;
	lines->start = (size_t)(newline - lines->bytes) + 1;
	lines->searched = 0;
	lines->oversized = false;
	line->follows = !lines->waited;
	lines->waited = false;
}

/* Drops a line that exceeds the limit, except the start of the line, which has the tag. */
static void drop_rest(struct rt_lines *lines, size_t max)
{
	if (lines->end - lines->start <= max)
		return;
	lines->oversized = true;
	lines->end = lines->start + RT_TAG_MAX;
	lines->searched = RT_TAG_MAX;
}

bool rt_lines_next(struct rt_lines *lines, size_t max, struct rt_line *line)
{
	do {
		size_t from = lines->start + lines->searched;
		size_t length = lines->end - from;
		const char *newline = length > 0 ? memchr(lines->bytes + from, '\n', length) : NULL;

		if (newline != NULL) {
			take_line(lines, newline, line);
			return true;
		}
		lines->searched += length;
		drop_rest(lines, max);
	} while (rt_lines_read(lines) > 0);
	return false;
}
