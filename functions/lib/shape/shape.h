/* The shape of a message: its parts with type and size, its attachments, the hosts of its links and
 * the images that it loads. The shape is shown with the result of a test and does not affect the
 * score.
 *
 * The child that verifies the message (functions/lib/sandbox) finds the shape as its last step: if
 * the child fails there, the shape has a failure, and the other results remain.
 *
 *     shape.c        the facts shown about the parts
 *     links.c        web addresses in a text
 *     parts.c        the walk through the parts
 *     part-fields.c  the MIME fields in the header of a part
 *     part-decode.c  base64 and quoted-printable
 */
#ifndef EDS_SHAPE_SHAPE_H
#define EDS_SHAPE_SHAPE_H

#include "runtime/ctx.h"

enum {
	EDS_SHAPE_PARTS_MAX = 50,              /* maximum number of parts shown; other_parts counts
						* further ones */
	EDS_SHAPE_DOMAINS_MAX = 30,            /* maximum number of hosts of links and remote images
						* shown; if there are more, more_domains is set */
	EDS_SHAPE_TYPE_MAX = 100,              /* maximum number of octets of "type/subtype" */
	EDS_SHAPE_NAME_MAX = 200,              /* maximum number of octets of a file name */
	EDS_SHAPE_HOST_MAX = 253,              /* maximum number of octets of the host of a link or
						* image */
	EDS_SHAPE_TEXT_BYTES_MAX = 512 * 1024, /* maximum number of octets that are searched for
						* links, in all texts together */
	EDS_SHAPE_LEVELS_MAX = 100, /* deepest level that a shape can have; the walk allows fewer
				     * (EDS_PART_LEVELS_MAX) */
	EDS_SHAPE_TIME_MS = 2000,
};

struct eds_shape_part {
	unsigned level;   /* number of enclosing multiparts and messages */
	const char *type; /* "text/html", in lower case */
	const char *file; /* the file name as the sender gives it; "" for none */
	bool attached;
	bool container; /* a multipart or a message; its octets are counted with its parts */
	uint64_t bytes; /* octets of the decoded content */
};

struct eds_shape {
	const char *failure; /* a sentence that says why the shape is missing; "" otherwise */
	struct eds_shape_part parts[EDS_SHAPE_PARTS_MAX];
	size_t part_count;
	size_t other_parts; /* number of parts beyond those shown */
	size_t attachments;
	size_t images;        /* images inside the message */
	size_t remote_images; /* images that its HTML loads from the web */
	bool has_text;        /* the message has a plain text part that is not an attachment */
	bool has_html;
	bool alternative; /* HTML and plain text are in one multipart/alternative */
	size_t links;
	/* Hosts of the links and of the remote images: A-labels or an address, in order of first
	 * occurrence. */
	const char *domains[EDS_SHAPE_DOMAINS_MAX];
	size_t domain_count;
	bool more_domains;
	bool whole; /* all texts were searched for links */
};

/* Finds the shape of the message; runs in the child. Types, names and hosts are octets of the
 * message, which the parent must validate. */
void eds_shape_find(
	struct rt_ctx *ctx, const char *message, size_t length, struct eds_shape *shape);

#endif
