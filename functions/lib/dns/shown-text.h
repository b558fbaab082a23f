/* The text of TXT records in a form that can be shown to people. */
#ifndef EDS_DNS_SHOWN_TEXT_H
#define EDS_DNS_SHOWN_TEXT_H

#include "runtime/ctx.h"

/* A copy of the text with a question mark for each ASCII control character, so that a NUL does not
 * hide what follows it, and none of them has an effect on a terminal or a log. Octets that are not
 * ASCII stay. */
char *eds_dns_shown_text(struct rt_ctx *ctx, const char *text, size_t length);

#endif
