/* The octets behind a Content-Transfer-Encoding (RFC 2045 section 6), read leniently: what does not
 * belong to the encoding is passed over in base64 and stays as it is in quoted-printable. */
#ifndef EDS_SHAPE_PART_DECODE_H
#define EDS_SHAPE_PART_DECODE_H

#include <stddef.h>

enum eds_part_encoding {
	EDS_PART_IDENTITY, /* 7bit, 8bit, binary, and what nobody knows */
	EDS_PART_BASE64,
	EDS_PART_QUOTED_PRINTABLE,
};

/* How many octets the text stands for; the first of them are written to out, room at most. */
size_t eds_part_decode(
	enum eds_part_encoding encoding, const char *text, size_t length, char *out, size_t room);

/* 0 to 15, -1 for what is no hexadecimal digit. */
int eds_part_hex(char c);

#endif
