/* mail-accept: asked by the mail receiver about the recipient of each RCPT command
 *
 * in    {"recipient": "mfrggzdfmztwq2lknnwg23tpoa@tester.example", "clientIp": "192.0.2.1"}
 * out   {"accept": true, "function": "tester-analyze" or "reports-ingest"}; for a test address
 *       also "maxBytes", the maximum length of a message, and "stored" {network, site, all}, the
 *       octets of stored test mail from the client's address or /64, from its /48, and in all; or
 *       {"accept": false, "reason": "…"}
 *
 * in    {"stored": true}, which the receiver asks now and then
 * out   {"stored": {network, site, all}}
 * err   recipient-missing; store-unavailable, so that the receiver answers 451
 *
 * Accepts the addresses of live tester sessions that have room for a message, and the report
 * addresses of domains. Local parts are compared without regard to case. Quoted forms, source
 * routes and anything else that is not an id are refused.
 */
#include "functions/lib/recipient.h"
#include "functions/lib/store/domains/domain.h"
#include "functions/lib/store/tester/session.h"
#include "functions/lib/store/tester/stored-mail.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"

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

/* Makes the answer from the status of a lookup. RT_OK accepts the address; an address that was not
 * found is refused with the reason that the lookup gives. Other failures are returned, and then the
 * mail receiver answers 451. */
static rt_status settle(struct rt_ctx *ctx, rt_status status, const char *function, json_t **answer)
{
	if (status == RT_OK) {
		*answer = accepted(ctx, function);
		return RT_OK;
	}
	if (status != RT_NOT_FOUND)
		return status;
	*answer = refused(ctx, ctx->failure.detail);
	rt_fail_clear(ctx);
	return RT_OK;
}

static rt_status add_stored(
	struct rt_ctx *ctx, struct eds_store *store, const char *client_ip, json_t *answer)
{
	json_t *members = json_object();
	struct eds_networks networks;
	struct eds_stored_mail stored;

	eds_networks_of(ctx, client_ip, &networks);
	RT_TRY(eds_store_stored_mail(ctx, store, &networks, &stored));
	rt_json_set(members, "network", json_integer(stored.own));
	rt_json_set(members, "site", json_integer(stored.site));
	rt_json_set(members, "all", json_integer(stored.all));
	rt_json_set(answer, "stored", members);
	return RT_OK;
}

static rt_status accept_tester(struct rt_ctx *ctx, struct eds_store *store, const char *test_id,
	const char *client_ip, json_t **answer)
{
	struct eds_session session;
	rt_status status = eds_store_session_get(ctx, store, test_id, &session);

	if (status == RT_OK && session.message_count >= EDS_SESSION_MESSAGES_MAX) {
		*answer = refused(
			ctx, "this test address has received the maximum number of messages");
		return RT_OK;
	}
	RT_TRY(settle(ctx, status, "tester-analyze", answer));
	if (status != RT_OK)
		return RT_OK;
	rt_json_set(*answer, "maxBytes", json_integer((json_int_t)rt_config()->tester_message_max));
	return add_stored(ctx, store, client_ip, *answer);
}

static rt_status accept_reports(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id, json_t **answer)
{
	struct eds_domain domain;

	return settle(ctx, eds_store_domain_find(ctx, store, domain_id, &domain), "reports-ingest",
		answer);
}

static rt_status tell_stored(struct rt_ctx *ctx, json_t **answer)
{
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	*answer = json_object();
	return add_stored(ctx, store, NULL, *answer);
}

static rt_status accept_recipient(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	const char *recipient = rt_json_string(input, "recipient");
	enum eds_recipient_kind kind;
	struct eds_store *store;
	const char *id;

	if (json_is_true(json_object_get(input, "stored")))
		return tell_stored(ctx, answer);
	if (recipient == NULL)
		return rt_fail(ctx, RT_BAD_INPUT, "recipient-missing",
			"the input needs a string \"recipient\"");
	kind = eds_recipient_read(ctx, recipient, &id);
	if (kind == EDS_RECIPIENT_FOREIGN) {
		*answer = refused(ctx, "no mail is received for this domain");
		return RT_OK;
	}
	RT_TRY(eds_store_open(ctx, &store));
	if (kind == EDS_RECIPIENT_REPORTS)
		return accept_reports(ctx, store, id, answer);
	return accept_tester(ctx, store, id, rt_json_string(input, "clientIp"), answer);
}

int main(int argc, char **argv)
{
	return rt_main_direct(argc, argv, accept_recipient);
}
