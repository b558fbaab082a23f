/* Tester sessions and the messages they received. */
#ifndef EDS_SESSION_H
#define EDS_SESSION_H

#include "functions/lib/store/store.h"

/* Reads a live session. RT_NOT_FOUND "session-not-found" for an unknown or malformed id, and for an
 * expired session. */
RT_MUST_USE rt_status eds_store_session_get(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, struct eds_session *session);

/* Stores the message. When the message is the newest by (received_at_ms, message_id), its result
 * becomes the result of the session, and the results of other messages are removed. When the same
 * message is stored again, its result is overwritten and the message counts once. The selectors of
 * its signatures are added as discovered selectors to the domains of the session's account, up to
 * EDS_DISCOVERED_DOMAIN_MAX. The session's callback gets the result of each message once, while the
 * message is the newest. result: a JSON object with members, as compact text (rt_json_format).
 * Errors:
 *
 *     RT_NOT_FOUND "session-not-found"   the session does not exist or has expired
 *     RT_LIMIT "session-full"            the session has received EDS_SESSION_MESSAGES_MAX messages
 *     RT_INTERNAL "result-invalid"       result is not such a JSON object
 */
RT_MUST_USE rt_status eds_store_session_complete(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const struct eds_session_message *message, const char *result);

/* Sets *has to whether a live session has already received the message, so that a repeated event is
 * answered without a second analysis. False for an unknown or expired session. */
RT_MUST_USE rt_status eds_store_session_has_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *message_id, bool *has);

/* Reads the newest message of a live session. RT_NOT_FOUND "session-not-found"; RT_CONFLICT
 * "session-pending" when no message has arrived yet. */
RT_MUST_USE rt_status eds_store_session_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, struct eds_session_message *message);

#endif
