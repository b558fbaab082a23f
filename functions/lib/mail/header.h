/* The header of a message, read with bounds (RFC 5322 section 2.2).
 *
 * A reader of our own: no library we looked at has limits. Field bytes are borrowed from the
 * message and may hold anything but NUL-free text is not promised; lines end with CRLF or LF.
 */
#ifndef EDS_MAIL_HEADER_H
#define EDS_MAIL_HEADER_H

#include "runtime/ctx.h"

enum {
	EDS_HEADER_BYTES_MAX = 256 * 1024,
	EDS_HEADER_FIELDS_MAX = 1000,
	EDS_HEADER_FIELD_BYTES_MAX = 32 * 1024,
};

struct eds_field {
	const char *name; /* not terminated; name_length octets, as written, no space before the
			     colon */
	size_t name_length;
	const char *value; /* behind the colon, with its folding, without the final line end */
	size_t value_length;
};

struct eds_header {
	struct eds_field *fields; /* top down */
	size_t count;
	size_t body_offset; /* where the body begins, behind the empty line; the size when there is
			       none */
	const char *limit;  /* "" or which limit cut the reading: a sentence; what was read before
			       stands */
	bool malformed;     /* a line that is no field and no continuation was skipped */
};

/* Never fails: a header-less message has no fields. */
void eds_header_read(
	struct rt_ctx *ctx, const char *message, size_t length, struct eds_header *header);

/* The nth (0 first, from the top) field of the name (any case), NULL when there is none. */
const struct eds_field *eds_header_find(
	const struct eds_header *header, const char *name, size_t nth);
size_t eds_header_count(const struct eds_header *header, const char *name);

/* The value unfolded (RFC 5322 section 2.2.3), trimmed, NUL and controls made spaces; 8 KiB at
 * most. */
char *eds_field_text(struct rt_ctx *ctx, const struct eds_field *field);

#endif
