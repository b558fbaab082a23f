/* Finds the client that delivered the message. Only this code decides which Received fields to
 * trust. */
#ifndef EDS_MAIL_CLIENT_H
#define EDS_MAIL_CLIENT_H

#include "functions/lib/mail/received.h"

/* Finds the client in the event's envelope, or else in the topmost Received field, if our own
 * receiver wrote it (`by` is own_host, or inbound-smtp.REGION.amazonaws.com; then SES's
 * Received-SPF above X-SES-RECEIPT gives HELO). Clients in EDS_TRUSTED_RELAYS are skipped: the next
 * Received field, which such a relay wrote, is read instead. The sender may have forged all fields
 * below the first untrusted one. */
void eds_client_find(struct rt_ctx *ctx, const struct rt_mail_event *mail,
	const struct eds_header *header, const char *own_host, struct eds_client *client);

#endif
