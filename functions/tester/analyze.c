/* tester-analyze: mail to <testId>@{tester_domain}
 *
 * out   {"analyzed": 1}: the number of sessions that now have the result of this message
 * err   message-not-found, store-unavailable, sandbox-violation, …: the event is sent again
 *
 * S3's notice of a stored message names no recipients; for a message that arrived over HTTP
 * (tester-session-message) the recipients are in the database. delivery.h says how a message is
 * handled.
 */
#include "functions/lib/sandbox/sandbox.h"
#include "functions/tester/delivery.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"

/* Analyzes a message whose event names no recipients. An upload whose analysis has ended is not
 * analyzed again. A message without a row in the table of uploads is not an upload, or an old one,
 * and goes to delivery_run(). */
static rt_status analyze_stored(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, size_t *holding)
{
	struct eds_upload upload;
	bool found;

	RT_TRY(eds_store_upload_claim(ctx, store, mail->message_id, &upload, &found));
	if (found)
		return delivery_of_upload(ctx, store, &upload, holding);
	*holding = 0;
	return upload.test_id != NULL ? RT_OK : delivery_run(ctx, store, mail, NULL, holding);
}

static rt_status analyze(struct rt_ctx *ctx, const struct rt_mail_event *mail, json_t **answer)
{
	struct eds_store *store;
	size_t holding = 0;

	RT_TRY(eds_store_open(ctx, &store));
	if (mail->recipient_count > 0)
		RT_TRY(delivery_run(ctx, store, mail, NULL, &holding));
	else
		RT_TRY(analyze_stored(ctx, store, mail, &holding));
	*answer = json_object();
	rt_json_set(*answer, "analyzed", json_integer((json_int_t)holding));
	return RT_OK;
}

int main(int argc, char **argv)
{
	rt_prepare(eds_sandbox_warm);
	return rt_main_mail(argc, argv, analyze);
}
