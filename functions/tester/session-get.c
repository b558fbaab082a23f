/* tester-session-get: GET /api/inbound-tester/sessions/{testId}
 *
 * out   200 {testId, email, expiresAt, status: "pending"}, or completed with
 *           {…, spamScore, verdict, results, scoreBreakdown}; 304 to If-None-Match
 * err   400 wait-invalid; 404 session-not-found, whether the id is unknown, malformed or expired
 *
 * With ?wait=SECONDS the answer's field eds-wait asks the program that runs this function to hold a
 * pending answer back until the session is completed (runtime/host/gateway/waits.h). A program that
 * ignores the field answers at once. The function itself does not wait, since clouds bill its time
 * by the second.
 */
#include <string.h>

#include "functions/lib/store/tester/session.h"
#include "functions/tester/session-json.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

enum {
	WAIT_MAX_S = 30,
};

static rt_status read_wait(struct rt_ctx *ctx, const struct rt_request *req, int *seconds)
{
	const char *text = rt_request_query(req, "wait");
	size_t length;

	*seconds = 0;
	if (text == NULL)
		return RT_OK;
	length = strspn(text, "0123456789");
	for (size_t i = 0; i < length && i < 3; i++)
		*seconds = *seconds * 10 + (text[i] - '0');
	if (length == 0 || length > 2 || text[length] != '\0' || *seconds > WAIT_MAX_S)
		return rt_fail(ctx, RT_BAD_INPUT, "wait-invalid",
			"wait must be a whole number of seconds from 0 to %d", WAIT_MAX_S);
	return RT_OK;
}

static rt_status get_session(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *test_id = rt_request_param(req, "testId");
	struct eds_store *store;
	struct eds_session session;
	int wait_s;

	RT_TRY(read_wait(ctx, req, &wait_s));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_session_get(ctx, store, test_id != NULL ? test_id : "", &session));
	if (!session.completed && wait_s > 0)
		rt_response_header(
			res, "eds-wait", rt_printf(ctx, "%d %s", wait_s, session.test_id));
	return eds_session_respond(ctx, req, res, 200, &session);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"wait", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, get_session);
}
