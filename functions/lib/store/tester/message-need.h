/* Who still needs a message of the mail store (functions/lib/release.h). */
#ifndef EDS_STORE_MESSAGE_NEED_H
#define EDS_STORE_MESSAGE_NEED_H

#include "functions/lib/store/store.h"

/* Whether a live session holds the message's result, since it may be judged again, or still takes
 * one. False for a session that is unknown or over. */
RT_MUST_USE rt_status eds_store_session_needs_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *message_id, bool *needs);

/* Whether a domain's log of reports says nothing of the message yet. False for an unknown domain.
 */
RT_MUST_USE rt_status eds_store_domain_needs_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const char *message_id, bool *needs);

#endif
