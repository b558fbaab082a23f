/* Which of many sessions wait for no message any more? Asked twice a second for all that clients
 * wait for, so it is few statements however many these are. */
#ifndef EDS_STORE_SESSION_SETTLED_H
#define EDS_STORE_SESSION_SETTLED_H

#include "functions/lib/store/store.h"

/* is_settled[i]: the session of test_ids[i] has a result and no message waits, or there is none of
 * that id, be it over or never made. */
RT_MUST_USE rt_status eds_store_sessions_settled(struct rt_ctx *ctx, struct eds_store *store,
	const char *const *test_ids, size_t count, bool *is_settled);

#endif
