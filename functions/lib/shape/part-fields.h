/* Reads the MIME fields in the header of a part.
 *
 *     Content-Type: application/pdf; name="offer.pdf"
 *     Content-Transfer-Encoding: base64
 *     Content-Disposition: attachment; filename*=utf-8''M%C3%BCller.pdf
 *
 * The fields follow RFC 2045 section 5 and RFC 2183. File names follow RFC 2231 or, in the mail of
 * many programs, RFC 2047. Charsets are not converted: a name keeps its octets.
 */
#ifndef EDS_SHAPE_PART_FIELDS_H
#define EDS_SHAPE_PART_FIELDS_H

#include "functions/lib/mail/header.h"
#include "functions/lib/shape/part-decode.h"

struct eds_part_fields {
	const char *type; /* the type as written: "text". Where the field is missing or unreadable,
			   * type and subtype are text/plain, in a digest message/rfc822 */
	const char *subtype;     /* "plain" */
	const char *boundary;    /* boundary of a multipart; "" for none */
	const char *disposition; /* the disposition as written: "attachment"; "" for none */
	const char *file;        /* the file name; "" for none */
	enum eds_part_encoding encoding;
};

/* Reads the fields of a part. digest: the part is in a multipart/digest, where message/rfc822 is
 * the default type (RFC 2046 section 5.1.5). */
void eds_part_fields_read(struct rt_ctx *ctx, const struct eds_header *header, bool digest,
	struct eds_part_fields *fields);

#endif
