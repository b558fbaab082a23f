/* Expiry of tester sessions. Every read of a session compares times to decide whether the session
 * is live. The functions here remove the remains of expired sessions, the oldest EDS_EXPIRE_BATCH
 * sessions at a time.
 *
 * The order matters: first the caller deletes the bytes of messages, then the rows of these
 * messages are removed, then the sessions without messages. The row of a message records that the
 * message has bytes, so the row is removed after the bytes. A message that was sent to several
 * addresses keeps its bytes until the last session of these addresses has expired. The rows of the
 * message in sessions that expire earlier are removed earlier.
 */
#ifndef EDS_SESSION_EXPIRY_H
#define EDS_SESSION_EXPIRY_H

#include "functions/lib/store/store.h"

/* Lists up to EDS_EXPIRE_BATCH messages that no live session has any more. Delete their bytes
 * first, then call eds_store_sessions_purge, so that a crash in between leaves no bytes without a
 * row. */
RT_MUST_USE rt_status eds_store_messages_expired(
	struct rt_ctx *ctx, struct eds_store *store, const char ***message_ids, size_t *count);

/* Removes the rows of these messages, and expired sessions without messages. Also removes the rows
 * with which expired sessions share a message with a live session, hourly limits that are no longer
 * used, and old rows of uploads. */
RT_MUST_USE rt_status eds_store_sessions_purge(struct rt_ctx *ctx, struct eds_store *store,
	const char *const *message_ids, size_t count, size_t *sessions_removed);

#endif
