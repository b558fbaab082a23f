/* mail-accept: asked by the receiver of mail at RCPT
 *
 * in    {"recipient": "mfrggzdfmztwq2lknnwg23tpoa@tester.example"}
 * out   {"accept": true, "function": "tester-analyze"}, or {"accept": false, "reason": "…"}
 * err   recipient-missing; store-unavailable, so that the receiver answers 451
 *
 * Accepted are the addresses of live tester sessions. Local parts are compared without regard to
 * case; quoted forms, source routes and anything else that is no test id is nobody's address.
 */
#include <string.h>
#include <strings.h>

#include "functions/lib/store/store.h"
#include "runtime/handler.h"

static json_t *accepted(struct rt_ctx *ctx, const char *function)
{
	json_t *answer = json_object();

	rt_json_set(answer, "accept", json_true());
	rt_json_set_text(ctx, answer, "function", function);
	return answer;
}

static json_t *refused(struct rt_ctx *ctx, const char *reason)
{
	json_t *answer = json_object();

	rt_json_set(answer, "accept", json_false());
	rt_json_set_text(ctx, answer, "reason", reason);
	return answer;
}

static rt_status accept_tester(struct rt_ctx *ctx, const char *test_id, json_t **answer)
{
	struct eds_store *store;
	struct eds_session session;
	rt_status status;

	RT_TRY(eds_store_open(ctx, &store));
	status = eds_store_session_get(ctx, store, test_id, &session);
	if (status == RT_NOT_FOUND) {
		*answer = refused(ctx, ctx->failure.detail);
		rt_fail_clear(ctx);
		return RT_OK;
	}
	if (status != RT_OK)
		return status;
	if (session.message_count >= EDS_SESSION_MESSAGES_MAX)
		*answer = refused(ctx, "this test address has received all the mail it may");
	else
		*answer = accepted(ctx, "tester-analyze");
	return RT_OK;
}

static rt_status accept_recipient(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	const char *recipient = rt_json_string(input, "recipient");
	const char *at;

	if (recipient == NULL)
		return rt_fail(ctx, RT_BAD_INPUT, "recipient-missing",
			"the input needs a string \"recipient\"");
	at = strrchr(recipient, '@');
	if (at == NULL || strcasecmp(at + 1, rt_config()->tester_domain) != 0) {
		*answer = refused(ctx, "no mail is received for this domain");
		return RT_OK;
	}
	return accept_tester(
		ctx, rt_lower(ctx, rt_memdup(ctx, recipient, (size_t)(at - recipient))), answer);
}

int main(int argc, char **argv)
{
	return rt_main_direct(argc, argv, accept_recipient);
}
