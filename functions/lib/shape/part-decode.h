/* Decodes a Content-Transfer-Encoding (RFC 2045 section 6) leniently: skips invalid characters in
 * base64, and keeps them unchanged in quoted-printable. */
#ifndef EDS_SHAPE_PART_DECODE_H
#define EDS_SHAPE_PART_DECODE_H

#include <stddef.h>

enum eds_part_encoding {
	EDS_PART_IDENTITY, /* no encoding: 7bit, 8bit, binary, or an unknown one */
	EDS_PART_BASE64,
	EDS_PART_QUOTED_PRINTABLE,
};

/* Returns the number of decoded octets; writes the first of them to `out`, at most `room`
 * octets. */
size_t eds_part_decode(
	enum eds_part_encoding encoding, const char *text, size_t length, char *out, size_t room);

/* The value of a hexadecimal digit, 0 to 15; -1 for any other character. */
int eds_part_hex(char c);

#endif
