/* Finds the client that delivered the message. Only this code decides which Received fields to
 * trust. */
#ifndef EDS_MAIL_CLIENT_H
#define EDS_MAIL_CLIENT_H

#include "functions/lib/mail/received.h"

/* Finds the client in the event's envelope. When the envelope has none, reads the topmost Received
 * field, provided that our own receiver wrote this field: `by` is own_host, or a host of SES
 * (inbound-smtp.REGION.amazonaws.com). For SES, the HELO comes from the Received-SPF field above
 * X-SES-RECEIPT. Clients in EDS_TRUSTED_RELAYS are skipped: the next Received field, which such a
 * relay wrote, is read instead. Fields below the one that names the client are not read, as the
 * sender may have forged them. */
void eds_client_find(struct rt_ctx *ctx, const struct rt_mail_event *mail,
	const struct eds_header *header, const char *own_host, struct eds_client *client);

#endif
