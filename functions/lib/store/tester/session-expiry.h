/* Expiry of tester sessions. Live or not is decided by comparing times whenever a session is read;
 * here what is left of dead ones is removed, the oldest EDS_EXPIRE_BATCH sessions at a time.
 *
 * Order: the caller deletes the messages' bytes, then their rows go, then sessions without
 * messages. A row is what remembers that there are bytes. A message that was sent to several
 * addresses keeps its bytes until the last of their sessions has expired; the rows of the others
 * just go.
 */
#ifndef EDS_SESSION_EXPIRY_H
#define EDS_SESSION_EXPIRY_H

#include "functions/lib/store/store.h"

/* Up to EDS_EXPIRE_BATCH messages that no live session holds any more. Delete their bytes first,
 * then call eds_store_sessions_purge, so that a crash in between forgets nothing. */
RT_MUST_USE rt_status eds_store_messages_expired(
	struct rt_ctx *ctx, struct eds_store *store, const char ***message_ids, size_t *count);

/* Removes those messages' rows, and sessions past their time that have no message left. */
RT_MUST_USE rt_status eds_store_sessions_purge(struct rt_ctx *ctx, struct eds_store *store,
	const char *const *message_ids, size_t count, size_t *sessions_removed);

#endif
