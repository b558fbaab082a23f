/* The shape of a message: its parts with type and size, its attachments, where its links lead and
 * which pictures it loads. Shown beside a result, without points.
 *
 * It is found by the child that verifies the message (functions/lib/sandbox), as the last it does:
 * a message that the child fails on has a failure in place of a shape, and its other results stand.
 *
 *     shape.c        what is told of the parts
 *     links.c        addresses of the web in a text
 *     parts.c        the walk through the parts
 *     part-fields.c  what their headers say
 *     part-decode.c  base64 and quoted-printable
 */
#ifndef EDS_SHAPE_SHAPE_H
#define EDS_SHAPE_SHAPE_H

#include "runtime/ctx.h"

enum {
	EDS_SHAPE_PARTS_MAX = 50,              /* shown; the others are counted */
	EDS_SHAPE_DOMAINS_MAX = 30,            /* the same */
	EDS_SHAPE_TYPE_MAX = 100,              /* octets of "type/subtype" */
	EDS_SHAPE_NAME_MAX = 200,              /* of a file's name */
	EDS_SHAPE_HOST_MAX = 253,              /* of a link's host */
	EDS_SHAPE_TEXT_BYTES_MAX = 512 * 1024, /* looked through for links, of all texts together */
	EDS_SHAPE_LEVELS_MAX = 100, /* of parts in one another; deeper ones are shown as so deep */
	EDS_SHAPE_TIME_MS = 2000,
};

struct eds_shape_part {
	unsigned level;   /* multiparts and messages around it */
	const char *type; /* "text/html", in lower case */
	const char *file; /* its name as the sender gives it; "" for none */
	bool attached;
	bool container; /* a multipart or a message: its octets are those of its parts */
	uint64_t bytes; /* decoded */
};

struct eds_shape {
	const char *failure; /* "", or why there is nothing below: a sentence */
	struct eds_shape_part parts[EDS_SHAPE_PARTS_MAX];
	size_t part_count;
	size_t other_parts; /* more of them */
	size_t attachments;
	size_t images;        /* that the message carries */
	size_t remote_images; /* that a reader of its HTML would load from the web */
	bool has_text;        /* a part of plain text that is no attachment */
	bool has_html;
	bool alternative; /* HTML and plain text stand in one multipart/alternative */
	size_t links;
	/* The hosts they lead to: A-labels, or an address; in the order of their first occurrence.
	 */
	const char *domains[EDS_SHAPE_DOMAINS_MAX];
	size_t domain_count;
	bool more_domains;
	bool whole; /* all texts were looked through for links */
};

/* In the child. Names and hosts are the message's octets, to be validated by its parent. */
void eds_shape_find(
	struct rt_ctx *ctx, const char *message, size_t length, struct eds_shape *shape);

#endif
