/* Reads the header of a message, within limits (RFC 5322 section 2.2).
 *
 * We wrote our own reader because no library that we examined has limits. Fields are borrowed from
 * the message and may contain any octet, even NUL; lines end with CRLF or LF.
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
	const char *name; /* the field's name as written, name_length octets without a NUL at the
			   * end, and without space before the colon */
	size_t name_length;
	const char *value; /* the text after the colon, with its folding but without the final line
			    * end */
	size_t value_length;
};

struct eds_header {
	struct eds_field *fields; /* top down */
	size_t count;
	size_t room;        /* allocated size of the array `fields`; private to header.c */
	size_t body_offset; /* offset of the body, after the empty line; the size of the message
			     * when it has no body */
	const char *limit;  /* a sentence about the limit that ended the reading, so that later
			     * fields were not read; "" if none */
	bool malformed;     /* a line that is neither a field nor a continuation was skipped */
};

/* Reads the header. Never fails: a message without a header has no fields. */
void eds_header_read(
	struct rt_ctx *ctx, const char *message, size_t length, struct eds_header *header);

/* The field with this name, in upper or lower case. nth: its number among the fields of this name,
 * counted from the top and beginning with 0. NULL when there is no such field. */
const struct eds_field *eds_header_find(
	const struct eds_header *header, const char *name, size_t nth);
size_t eds_header_count(const struct eds_header *header, const char *name);

/* The value of a field, unfolded (RFC 5322 section 2.2.3) and trimmed, with NUL and control
 * characters as spaces; at most 8 KiB. */
char *eds_field_text(struct rt_ctx *ctx, const struct eds_field *field);

#endif
