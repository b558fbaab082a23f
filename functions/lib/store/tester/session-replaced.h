/* Messages of a session that a newer message has replaced. Their rows stay, so that they are
 * counted and not analyzed again, but without a result and without their bytes. */
#ifndef EDS_SESSION_REPLACED_H
#define EDS_SESSION_REPLACED_H

#include "functions/lib/store/store.h"

/* Lists up to EDS_SESSION_MESSAGES_MAX replaced messages of the session whose bytes no session
 * needs any more and which are not forgotten yet. Delete their bytes first, then call
 * eds_store_message_forget, so that a crash in between leaves no bytes without a record. */
RT_MUST_USE rt_status eds_store_messages_replaced(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char ***message_ids, size_t *count);
RT_MUST_USE rt_status eds_store_message_forget(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id, const char *message_id);

#endif
