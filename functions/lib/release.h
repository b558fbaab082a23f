/* Deletes a message from the mail store when every function that must read the message has read it.
 *
 * One message may come to a test address and to a report address at once, under one id. The store
 * knows who still needs the message: a live test session that has the result of the message (it may
 * be analyzed again) or still has room for the message, or a domain whose log of reports does not
 * name the message yet. So every function that has read a message calls this after committing its
 * result; the last call finds that nobody needs the message.
 */
#ifndef EDS_RELEASE_H
#define EDS_RELEASE_H

#include "functions/lib/store/domains/domain.h"
#include "runtime/event/event.h"

/* Deletes the message unless one of its recipients needs it. Fails with RT_TEMPORARY
 * "mail-store-failed" or "store-unavailable". */
RT_MUST_USE rt_status eds_release_message(
	struct rt_ctx *ctx, struct eds_store *store, const struct rt_mail_event *mail);

/* Deletes the message unless one of its recipients needs it. The caller has read the message for
 * these domains, so they do not need it, whether or not their logs name it. Fails as
 * eds_release_message() does. */
RT_MUST_USE rt_status eds_release_message_read(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const struct eds_domain *domains, size_t count);

#endif
