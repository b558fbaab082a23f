/* Tester sessions and the messages they received. */
#ifndef EDS_SESSION_H
#define EDS_SESSION_H

#include "functions/lib/store/store.h"

/* Live sessions only; unknown, malformed and expired alike: RT_NOT_FOUND "session-not-found". */
RT_MUST_USE rt_status eds_store_session_get(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, struct eds_session *session);

/* Keeps the message and, when it is the newest by (received_at_ms, message_id), its result as the
 * session's; the results of the others are gone. The same message twice overwrites its result and
 * counts once. Selectors that it is signed with, for domains of the session's account, are
 * discovered ones from now on, within EDS_DISCOVERED_DOMAIN_MAX. The result of each message is told
 * to the session's callback once, while it is the newest. RT_NOT_FOUND "session-not-found" when it
 * expired; RT_LIMIT "session-full" past EDS_SESSION_MESSAGES_MAX. result is the compact text of an
 * object with members (rt_json_format), else RT_INTERNAL "result-invalid". */
RT_MUST_USE rt_status eds_store_session_complete(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const struct eds_session_message *message, const char *result);

/* Whether a live session has had the message already: an event that comes again is answered
 * without analysing twice. False for a session that is unknown or over. */
RT_MUST_USE rt_status eds_store_session_has_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *message_id, bool *has);

/* The newest message of a live session. RT_NOT_FOUND "session-not-found"; RT_CONFLICT
 * "session-pending" when none arrived yet. */
RT_MUST_USE rt_status eds_store_session_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, struct eds_session_message *message);

#endif
