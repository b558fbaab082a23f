/* Text in quoted-printable (RFC 2045 section 6.7). */
#ifndef ALERTS_QUOTED_PRINTABLE_H
#define ALERTS_QUOTED_PRINTABLE_H

#include "runtime/buffer.h"

enum {
	QUOTED_PRINTABLE_LINE_MAX = 76, /* maximum number of octets of a line, without its CRLF */
};

/* Adds the text, whose lines end with "\n", as lines of at most QUOTED_PRINTABLE_LINE_MAX ASCII
 * characters, each ended by CRLF. */
void quoted_printable_write(struct rt_buffer *out, const char *text, size_t length);

#endif
