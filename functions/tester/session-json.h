/* A tester session as its HTTP resource.
 *
 *     {"testId":"mfrggzdfmztwq2lknnwg23tpoa","email":"mfrg…@tester.example",
 *      "expiresAt":"2026-01-31T23:59:59Z","status":"pending"}
 *
 * Where the domain is one of this machine alone (tester.localhost), a pending one also has
 * "smtpUrl":"smtp://127.0.0.1:2525", where mail to it is taken. Completed, it goes on with the
 * members of the stored result: spamScore, verdict, results, scoreBreakdown. With a callback it has
 * "callback":{host, state, deliveryId, tries, lastTriedAt, nextTryAt, status, reason} besides: the
 * address itself may hold a password, and who sends mail to the test knows the testId.
 */
#ifndef EDS_TESTER_SESSION_JSON_H
#define EDS_TESTER_SESSION_JSON_H

#include "functions/lib/store/store.h"
#include "runtime/event/event.h"

/* The resource as text of JSON. */
char *eds_session_json(struct rt_ctx *ctx, const struct eds_session *session, size_t *length);

/* Answers with the resource; no cache may keep it, its strong ETag follows from its bytes. */
RT_MUST_USE rt_status eds_session_respond(struct rt_ctx *ctx, const struct rt_request *req,
	struct rt_response *res, int status, const struct eds_session *session);

#endif
