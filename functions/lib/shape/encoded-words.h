/* Encoded words in the text of a header field (RFC 2047): =?utf-8?Q?M=C3=BCller?=
 *
 * GMime decodes encoded words, too, but GMime may read untrusted mail only in a confined child.
 * This code may also run outside of such a child. */
#ifndef EDS_SHAPE_ENCODED_WORDS_H
#define EDS_SHAPE_ENCODED_WORDS_H

#include "runtime/ctx.h"

/* The text with its encoded words decoded, up to an encoded NUL. Also decodes encoded words in a
 * quoted string: RFC 2047 section 5 forbids them there, but they are common. Does not convert
 * charsets. */
const char *eds_encoded_words(struct rt_ctx *ctx, const char *text);

#endif
