/* Creates tester sessions. A client may make a fixed number of sessions in any hour; the limit is
 * exact.
 *
 * Counting and inserting happen while the client's lock is held. The lock is one of many rows,
 * chosen by a hash of the client's address, so different clients rarely wait for each other. On
 * PostgreSQL, for a client whose /48 is not counted too, this takes one message to the server, and
 * no transaction has to start again. When the answer to this message is lost with the connection,
 * the message is sent again, and finds the session if the first message has added it. SQLite has
 * one writer at a time anyway.
 */
#ifndef EDS_SESSION_CREATE_H
#define EDS_SESSION_CREATE_H

#include "functions/lib/store/store.h"

/* Makes a pending session with a new id. client is the address for counting: an IPv4 address, or
 * the /64 of an IPv6 address. The client may make per_hour sessions in an hour, and all clients of
 * an IPv6 /48 together may make twice as many; per_hour is 0 for no limit. RT_LIMIT
 * "too-many-sessions", with retry_after_s. */
RT_MUST_USE rt_status eds_store_session_create(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, struct eds_session *session);

/* Makes a pending session as eds_store_session_create() does, with a callback; callback is NULL for
 * none. */
RT_MUST_USE rt_status eds_store_session_create_calling(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, const struct eds_callback *callback,
	struct eds_session *session);

#endif
