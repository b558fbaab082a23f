/* A tester session as its HTTP resource.
 *
 *     {"testId":"mfrggzdfmztwq2lknnwg23tpoa","email":"mfrg…@tester.example",
 *      "expiresAt":"2026-01-31T23:59:59Z","status":"pending"}
 *
 * If only this machine knows the domain (tester.localhost), a pending session also has
 * "smtpUrl":"smtp://127.0.0.1:2525", the server that takes mail for it. A completed session has the
 * members of the stored result: spamScore, verdict, results, scoreBreakdown. With a callback there
 * is "callback":{host, state, deliveryId, tries, lastTriedAt, nextTryAt, status, reason}; when the
 * service has just made the callback's secret, it also has that secret. The callback's URL is not
 * shown: it may hold a password, and every sender of mail to the test knows the testId.
 */
#ifndef EDS_TESTER_SESSION_JSON_H
#define EDS_TESTER_SESSION_JSON_H

#include "functions/lib/store/store.h"
#include "runtime/event/event.h"

/* The resource as JSON text, in ctx's memory. */
char *eds_session_json(struct rt_ctx *ctx, const struct eds_session *session, size_t *length);

/* Answers with the resource, or with 304 when the request has its ETag, which is strong and made
 * from the bytes of the JSON. No cache may store the answer. */
RT_MUST_USE rt_status eds_session_respond(struct rt_ctx *ctx, const struct rt_request *req,
	struct rt_response *res, int status, const struct eds_session *session);

#endif
