/* The mail address that alerts are to go to. */
#ifndef ALERTS_MAIL_ADDRESS_H
#define ALERTS_MAIL_ADDRESS_H

#include "runtime/ctx.h"

/* "ops@example.com" from "ops@Example.com", the domain in A-labels; NULL for what is no address, or
 * one that could mean more than itself in a header field or an SMTP command: it is a dot-atom of
 * ASCII (RFC 5322 section 3.2.3) at a full domain name, of 254 octets at most. */
const char *mail_address_read(struct rt_ctx *ctx, const char *text);

#endif
