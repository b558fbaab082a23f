/* tester-session-compare: GET /api/inbound-tester/sessions/{testId}/comparison?before=TESTID
 *
 * out   200 {before, after, scoreChange, rules, measured, requirements, advice}: the differences
 *           between the other test's result (before) and this one's (after)
 * err   400 before-missing; 404 session-not-found, for either; 409 session-pending, for either
 *
 * Needs no token: a client that has both ids may read both results anyway.
 */
#include "functions/lib/store/tester/session.h"
#include "functions/tester/report/comparison.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status get_completed(struct rt_ctx *ctx, struct eds_store *store, const char *test_id,
	struct eds_session *session)
{
	RT_TRY(eds_store_session_get(ctx, store, test_id != NULL ? test_id : "", session));
	if (session->completed)
		return RT_OK;
	return rt_fail(ctx, RT_CONFLICT, "session-pending",
		"the test %s has no result yet: no message has arrived, or its analysis is under way",
		session->test_id);
}

static rt_status compare(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *other = rt_request_query(req, "before");
	struct eds_store *store;
	struct eds_session before;
	struct eds_session after;
	json_t *comparison;

	if (other == NULL || other[0] == '\0')
		return rt_fail(ctx, RT_BAD_INPUT, "before-missing",
			"the query needs before=TESTID: the test that this one is compared with");
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(get_completed(ctx, store, rt_request_param(req, "testId"), &after));
	RT_TRY(get_completed(ctx, store, other, &before));
	RT_TRY(comparison_json(ctx, &before, &after, &comparison));
	rt_response_header(res, "cache-control", "no-store");
	return rt_respond_json(ctx, res, 200, comparison);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"before", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, compare);
}
