/* Messages of a session that newer ones have taken the place of: remembered, so that they are
 * counted and not analysed again, but without a result and without their bytes. */
#ifndef EDS_SESSION_REPLACED_H
#define EDS_SESSION_REPLACED_H

#include "functions/lib/store/store.h"

/* Up to EDS_SESSION_MESSAGES_MAX messages of the session that newer ones have taken the place of,
 * whose bytes no session needs any more and which are not forgotten yet. Delete their bytes first,
 * then call eds_store_message_forget, so that a crash in between forgets nothing. */
RT_MUST_USE rt_status eds_store_messages_replaced(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char ***message_ids, size_t *count);
RT_MUST_USE rt_status eds_store_message_forget(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id, const char *message_id);

#endif
