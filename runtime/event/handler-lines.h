/* The events of a kept handler: lines of standard input. Internal to the handler loop. */
#ifndef RT_HANDLER_LINES_H
#define RT_HANDLER_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	RT_TAG_MAX = 32, /* "#", a number, marks and a space */
};

/* Input that is read but not yet an event. */
struct rt_lines {
	char *bytes;
	size_t start; /* of the octets not returned yet */
	size_t end;
	size_t capacity;
	size_t searched; /* octets that are left and have no line end */
	bool oversized;  /* the line exceeds the limit: dropped to its end */
};

struct rt_line {
	char tag[RT_TAG_MAX + 1]; /* "#17=+ " with its space; "" for none */
	uint64_t number;          /* of the tag; 0 for none */
	bool wants_counts;        /* the tag ends with + */
	bool wants_frame;         /* with a = before it: the answer's body may come apart */
	const char *event;        /* valid until the next call; NULL: longer than the limit */
	size_t length;
};

/* Reads more of standard input; its return value. Ends the process when out of memory. */
ssize_t rt_lines_read(struct rt_lines *lines);

/* Waits for the next line; false at the end of input. max: octets of an event. */
bool rt_lines_next(struct rt_lines *lines, size_t max, struct rt_line *line);

#endif
