/* Who handed the message in: the one place that decides which Received fields are believed. */
#ifndef EDS_MAIL_CLIENT_H
#define EDS_MAIL_CLIENT_H

#include "functions/lib/mail/received.h"

/* The client by the rule: the event's envelope; else the topmost Received field if our own receiver
 * wrote it (`by` is own_host, or inbound-smtp.REGION.amazonaws.com; then SES's Received-SPF above
 * X-SES-RECEIPT gives HELO). Clients in EDS_TRUSTED_RELAYS are skipped: the next Received field,
 * which such a relay wrote, is read instead. Fields below the first that is not trusted are the
 * sender's. */
void eds_client_find(struct rt_ctx *ctx, const struct rt_mail_event *mail,
	const struct eds_header *header, const char *own_host, struct eds_client *client);

#endif
