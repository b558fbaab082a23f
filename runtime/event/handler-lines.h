/* The events of a handler that is kept running: lines of standard input. Internal to the handler
 * loop. */
#ifndef RT_HANDLER_LINES_H
#define RT_HANDLER_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	RT_TAG_MAX = 32, /* maximum length of a tag, octets: "#", a number, marks and a space */
};

/* Octets that were read and are not yet returned as events. */
struct rt_lines {
	char *bytes;
	size_t start; /* index of the first octet not yet returned */
	size_t end;   /* index after the last octet read */
	size_t capacity;
	size_t searched; /* octets from start on that are known to have no line end */
	bool oversized;  /* the current line exceeds the limit: its rest is dropped */
	bool waited;     /* there was a read since the last event */
};

struct rt_line {
	char tag[RT_TAG_MAX + 1]; /* tag of the line: "#17=+ ", including the space; "" for none */
	uint64_t number;          /* number in the tag; 0 for none */
	bool wants_counts;        /* the tag ends with + */
	bool wants_frame;         /* the tag ends with =+: the body of the answer may be separate */
	bool follows;             /* one read() returned this line and the end of the line before */
	/* the event, valid until the next call of rt_lines_next(); NULL: the event was longer than
	 * the limit */
	const char *event;
	size_t length;
};

/* Reads more of standard input; returns what read() returns. Ends the process when out of memory.
 */
ssize_t rt_lines_read(struct rt_lines *lines);

/* Waits for the next line; false at the end of input. max: maximum length of a line, octets; a line
 * that is longer by less than one read may be returned too. */
bool rt_lines_next(struct rt_lines *lines, size_t max, struct rt_line *line);

#endif
