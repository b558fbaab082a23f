/* An address in the display name of From. Readers may take this address for the author's:
 *
 *     From: "service@bank.example" <x@elsewhere.example>
 */
#ifndef TESTER_DISPLAY_NAME_H
#define TESTER_DISPLAY_NAME_H

#include "functions/lib/mail/header.h"

/* The domain of the first address in the display name of a From with one mailbox, in lower case;
 * NULL for none. */
const char *display_name_domain(struct rt_ctx *ctx, const struct eds_header *header);

#endif
