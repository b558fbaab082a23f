/* Creates tester sessions. A client may make a fixed number in any hour; the limit is exact.
 *
 * Counting and inserting happen while the client's lock is held. The lock is one of many rows,
 * chosen by a hash of the client's name, so different clients rarely wait for each other. On
 * PostgreSQL this takes one message to the server, and no transaction has to start again. When its
 * answer is lost with the connection, the message is sent again and finds the session that it has
 * added. SQLite has one writer at a time anyway.
 */
#ifndef EDS_SESSION_CREATE_H
#define EDS_SESSION_CREATE_H

#include "functions/lib/store/store.h"

/* Makes a pending session with a new id. RT_LIMIT "too-many-sessions" (retry_after_s set) when the
 * client made per_hour of them within the last hour, or the IPv6 /48 around it twice as many;
 * per_hour 0: no limit. client is the address for counting, IPv6 reduced to its /64. */
RT_MUST_USE rt_status eds_store_session_create(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, struct eds_session *session);

/* Like eds_store_session_create, with a callback; NULL for none. */
RT_MUST_USE rt_status eds_store_session_create_calling(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, const struct eds_callback *callback,
	struct eds_session *session);

#endif
