/* A walk through the parts of a message (RFC 2045, 2046), from its first octet to its last.
 *
 * A reader of our own, for what is only shown: it keeps nothing of a part but its place, recurses
 * nowhere and looks at each octet two or three times, whatever the nesting. Reports are read with
 * GMime (functions/lib/reports), which has every oddity of real mail in it and costs a process of
 * its own.
 */
#ifndef EDS_SHAPE_PARTS_H
#define EDS_SHAPE_PARTS_H

#include "functions/lib/shape/part-fields.h"

enum {
	EDS_PARTS_MAX = 1000,     /* of a message: multiparts, messages and the rest */
	EDS_PART_LEVELS_MAX = 64, /* of them in one another */
};

enum eds_part_kind {
	EDS_PART_LEAF,
	EDS_PART_MULTIPART,
	EDS_PART_MESSAGE, /* another message in this one */
};

struct eds_part {
	enum eds_part_kind kind;
	unsigned level; /* multiparts and messages around it */
	const struct eds_part_fields *fields;
};

/* What is handed over holds for the call alone. */
struct eds_part_visitor {
	/* Before and behind what an object holds. */
	void (*enter)(void *arg, const struct eds_part *object);
	void (*leave)(void *arg, const struct eds_part *object);
	/* The octets of a part as they stand in the message, between the two. */
	void (*content)(
		void *arg, const struct eds_part *object, const char *octets, size_t length);
	void *arg;
};

/* False when the message passes a limit above or one of a header (functions/lib/mail/header.h);
 * what was visited before is worth nothing then. */
RT_MUST_USE bool eds_parts_walk(struct rt_ctx *ctx, const struct eds_part_visitor *visitor,
	const char *message, size_t length);

#endif
