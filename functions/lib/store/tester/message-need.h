/* Whether a message in the mail store is still needed (functions/lib/release.h). */
#ifndef EDS_STORE_MESSAGE_NEED_H
#define EDS_STORE_MESSAGE_NEED_H

#include "functions/lib/store/store.h"

/* Sets *needs to true in two cases: the live session has the result of the message, so the message
 * may be analyzed again; or the live session does not have the message yet and has room for it.
 * Sets *needs to false for an unknown or expired session. */
RT_MUST_USE rt_status eds_store_session_needs_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *message_id, bool *needs);

/* Sets *needs to whether the domain's log of reports does not have the message yet. Sets *needs to
 * false for an unknown domain. */
RT_MUST_USE rt_status eds_store_domain_needs_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const char *message_id, bool *needs);

#endif
