/* Messages that a newer message of the same session has replaced. The rows of replaced messages
 * stay, so that these messages are counted and not analyzed again. Their results and bytes are
 * removed. */
#ifndef EDS_SESSION_REPLACED_H
#define EDS_SESSION_REPLACED_H

#include "functions/lib/store/store.h"

/* Lists at most EDS_SESSION_MESSAGES_MAX replaced messages of the session: messages that are not
 * forgotten yet and whose bytes no session needs any more. Delete their bytes first, then call
 * eds_store_message_forget, so that a crash in between leaves no bytes without a record. */
RT_MUST_USE rt_status eds_store_messages_replaced(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char ***message_ids, size_t *count);
RT_MUST_USE rt_status eds_store_message_forget(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id, const char *message_id);

#endif
