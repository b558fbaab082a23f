/* Deletes a message from the mail store when every function that must read it has done so.
 *
 * One message may come to a test address and to a report address at once, under one id. The store
 * knows who still needs the message: a session that has a result of the message or still has room
 * for it, or a domain whose log of reports does not name it yet. So every function that has read a
 * message calls this after committing its result; the last one finds that nobody needs the message.
 */
#ifndef EDS_RELEASE_H
#define EDS_RELEASE_H

#include "functions/lib/store/domains/domain.h"
#include "runtime/event/event.h"

/* Deletes the message unless one of its recipients needs it. RT_TEMPORARY "mail-store-failed",
 * "store-unavailable". */
RT_MUST_USE rt_status eds_release_message(
	struct rt_ctx *ctx, struct eds_store *store, const struct rt_mail_event *mail);

/* Deletes the message unless one of its recipients needs it. The caller has read the message for
 * these domains, so they do not need it, whether or not their logs name it. Errors are those of
 * eds_release_message(). */
RT_MUST_USE rt_status eds_release_message_read(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const struct eds_domain *domains, size_t count);

#endif
