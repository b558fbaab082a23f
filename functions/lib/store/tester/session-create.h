/* New tester sessions, of which a client may make so many in any hour, exactly.
 *
 * Whoever makes one counts and adds while it holds the lock of its client: a row that the client's
 * name leads to, one of many, so that those of different clients hardly ever meet. On PostgreSQL
 * that is one message to the server and no transaction that has to begin again; when its answer
 * gets lost with the connection it is sent again, and finds what it has added. SQLite has one
 * writer at a time anyway.
 */
#ifndef EDS_SESSION_CREATE_H
#define EDS_SESSION_CREATE_H

#include "functions/lib/store/store.h"

/* Makes a pending session with a fresh id. RT_LIMIT "too-many-sessions" (retry_after_s set) when
 * the client made per_hour of them within the last hour, or the IPv6 /48 around it twice as many;
 * per_hour 0: no limit. client is an address, IPv6 cut to its /64, for counting. */
RT_MUST_USE rt_status eds_store_session_create(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, struct eds_session *session);

/* The same with a callback, NULL for none. */
RT_MUST_USE rt_status eds_store_session_create_calling(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, const struct eds_callback *callback,
	struct eds_session *session);

#endif
