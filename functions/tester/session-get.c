/* tester-session-get: GET /api/inbound-tester/sessions/{testId}
 *
 * out   200 {testId, email, expiresAt, status: "pending"}, or completed with
 *           {…, spamScore, verdict, results, scoreBreakdown}; 304 to If-None-Match
 * err   404 session-not-found, the same for unknown, malformed and expired
 */
#include "functions/tester/session-json.h"
#include "runtime/handler.h"

static rt_status get_session(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *test_id = rt_request_param(req, "testId");
	struct eds_store *store;
	struct eds_session session;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_session_get(ctx, store, test_id != NULL ? test_id : "", &session));
	return eds_session_respond(ctx, req, res, 200, &session);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, get_session);
}
