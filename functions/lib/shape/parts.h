/* A walk through the parts of a message (RFC 2045, 2046), from its first octet to its last.
 *
 * This reader finds the shape (shape.h), which is only for display, and therefore need not handle
 * mail as exactly as GMime. The reader keeps only the position of a part, does not recurse and
 * reads each octet two or three times at any depth of nesting. Reports are read with GMime
 * (functions/lib/reports), which handles the oddities of real mail but needs a process of its own.
 */
#ifndef EDS_SHAPE_PARTS_H
#define EDS_SHAPE_PARTS_H

#include "functions/lib/shape/part-fields.h"

enum {
	EDS_PARTS_MAX = 1000,     /* maximum number of parts of a message, including multiparts and
				   * messages */
	EDS_PART_LEVELS_MAX = 64, /* maximum depth of nested parts */
};

enum eds_part_kind {
	EDS_PART_LEAF,
	EDS_PART_MULTIPART,
	EDS_PART_MESSAGE, /* a message inside this one */
};

struct eds_part {
	enum eds_part_kind kind;
	unsigned level; /* number of enclosing multiparts and messages */
	const struct eds_part_fields *fields;
};

/* The functions that a walk calls; all their arguments are valid only during the call. */
struct eds_part_visitor {
	/* Called before and after the contents of a part; the message itself is the first part. */
	void (*enter)(void *arg, const struct eds_part *object);
	void (*leave)(void *arg, const struct eds_part *object);
	/* Called between enter and leave with the encoded octets of a part that is a leaf. */
	void (*content)(
		void *arg, const struct eds_part *object, const char *octets, size_t length);
	void *arg;
};

/* Walks through the parts of a message. False when the message exceeds a limit above, or when a
 * header exceeds a limit of functions/lib/mail/header.h; the caller must then discard the results.
 */
RT_MUST_USE bool eds_parts_walk(struct rt_ctx *ctx, const struct eds_part_visitor *visitor,
	const char *message, size_t length);

#endif
