/* The mail address to which an alert is sent. */
#ifndef ALERTS_MAIL_ADDRESS_H
#define ALERTS_MAIL_ADDRESS_H

#include "runtime/ctx.h"

/* Reads an address and returns it with its domain in lower-case A-labels: "ops@example.com" for
 * "ops@Example.com". Accepts only an ASCII dot-atom of at most 64 octets (RFC 5322 section 3.2.3),
 * an @ and a full domain name, together 254 octets at most, so that an address cannot inject
 * anything into a header field or an SMTP command. Returns NULL for everything else. */
const char *mail_address_read(struct rt_ctx *ctx, const char *text);

#endif
