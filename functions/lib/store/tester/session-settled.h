/* Finds out which of many sessions no longer wait for a message or its analysis. This runs twice a
 * second for all sessions that clients wait for, so it uses only a few statements even for many
 * sessions. */
#ifndef EDS_STORE_SESSION_SETTLED_H
#define EDS_STORE_SESSION_SETTLED_H

#include "functions/lib/store/store.h"

/* Sets is_settled[i] to true when the session of test_ids[i] has a result and none of its messages
 * waits for analysis, or when there is no live session with that id. */
RT_MUST_USE rt_status eds_store_sessions_settled(struct rt_ctx *ctx, struct eds_store *store,
	const char *const *test_ids, size_t count, bool *is_settled);

#endif
