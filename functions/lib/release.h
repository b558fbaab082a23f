/* A message is deleted from the mail store when every function that was to read it has.
 *
 * One message may come to a test address and to a report address at once, under one id. Who still
 * needs it the store knows: a session that holds its result or waits for it, a domain whose log of
 * reports does not name it yet. So every function that read a message asks this when it has
 * committed what it made of it; whoever comes last finds nobody.
 */
#ifndef EDS_RELEASE_H
#define EDS_RELEASE_H

#include "functions/lib/store/domains/domain.h"
#include "runtime/event/event.h"

/* Deletes the message unless one of its recipients needs it. RT_TEMPORARY "mail-store-failed",
 * "store-unavailable". */
RT_MUST_USE rt_status eds_release_message(
	struct rt_ctx *ctx, struct eds_store *store, const struct rt_mail_event *mail);

/* The same, for who has read it for these domains: their logs need not name it. */
RT_MUST_USE rt_status eds_release_message_read(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const struct eds_domain *domains, size_t count);

#endif
