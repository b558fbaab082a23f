/* tester-session-reanalyze: POST /api/inbound-tester/sessions/{testId}/reanalyze
 *
 * out   200, the completed session as GET shows it
 * err   403 client-blocked; 404 session-not-found; 409 session-pending;
 *       429 reanalyzed-just-now, too-many-reanalyses
 *
 * Judges the newest message again with the current DNS, for example after a correction; its time of
 * receipt stays the same. A session has one such analysis at a time, with a pause after it; in an
 * hour a client may start as many of them as it may create sessions.
 */
#include "functions/lib/counted-client.h"
#include "functions/lib/sandbox/sandbox.h"
#include "functions/lib/store/store.h"
#include "functions/lib/store/tester/session-reanalysis.h"
#include "functions/lib/store/tester/session.h"
#include "functions/tester/report/report.h"
#include "functions/tester/session-json.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/mail-store/mailstore.h"

/* Makes the event as it first arrived. A message without a stored client address arrived without an
 * envelope, as from SES; the analysis then takes the client from Received again. */
static void mail_from_store(const struct eds_session_message *message, struct rt_mail_event *mail)
{
	*mail = (struct rt_mail_event){
		.message_id = message->message_id,
		.received_at_ms = message->received_at_ms,
		.mail_from = message->mail_from != NULL ? message->mail_from : "",
		.has_envelope = message->client_ip != NULL,
		.envelope =
			{
				.client_ip = message->client_ip,
				.helo = message->helo,
				.mail_from = message->mail_from,
				.tls = message->tls,
			},
	};
}

static rt_status reanalyze(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *test_id = rt_request_param(req, "testId");
	struct analysis *analysis = rt_alloc(ctx, sizeof *analysis);
	struct eds_session_message message;
	struct rt_mail_event mail;
	struct eds_session session;
	struct eds_store *store;
	const char *client;

	if (test_id == NULL)
		test_id = "";
	RT_TRY(eds_counted_client(ctx, req, &client));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_session_message(ctx, store, test_id, &message));
	RT_TRY(eds_store_reanalysis_begin(
		ctx, store, test_id, client, rt_config()->sessions_per_hour));
	mail_from_store(&message, &mail);
	RT_TRY(analysis_run(ctx, &mail, RT_MAILSTORE_OBJECT_MAX, analysis));
	RT_TRY(eds_store_session_complete(ctx, store, test_id, &message,
		rt_json_format(ctx, report_json(ctx, analysis), NULL)));
	RT_TRY(eds_store_reanalysis_end(ctx, store, test_id));
	RT_TRY(eds_store_session_get(ctx, store, test_id, &session));
	/* true even if a newer message waits for its analysis: the client asked about the message
	 * that was just judged */
	session.completed = true;
	return eds_session_respond(ctx, req, res, 200, &session);
}

int main(int argc, char **argv)
{
	rt_prepare(eds_sandbox_warm);
	return rt_main_http(argc, argv, reanalyze);
}
