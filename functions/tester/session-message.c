/* tester-session-message: POST /api/inbound-tester/sessions/{testId}/message
 *
 * in    a message (message/rfc822, application/octet-stream, text/plain) with ?clientIp=, helo=
 *       and mailFrom=, or {message or messageBase64, clientIp, helo, mailFrom}
 * out   202, the session, pending
 * err   400 body-missing, field-invalid, field-unknown, json-invalid, body-not-object;
 *       403 client-blocked; 404 session-not-found; 413 body-too-large;
 *       415 media-type-unsupported, content-coding-unsupported; 429 session-full,
 *       too-many-messages, mail-quota-full
 *
 * The message is stored durably before the answer, and analyzed as if it had arrived by mail, at
 * this moment, from the client that clientIp names. With the answer's field eds-stored the program
 * that runs this function can call tester-analyze at once. If that program ignores the field,
 * tester-uploads finds the message later.
 */
#include "functions/lib/counted-client.h"
#include "functions/lib/mail-quota.h"
#include "functions/lib/store/tester/session.h"
#include "functions/lib/store/tester/upload.h"
#include "functions/tester/session-json.h"
#include "functions/tester/upload-form.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/mail-store/mailstore.h"
#include "runtime/uuid.h"

/* Marks the message as done when its bytes could not be stored, so that the session does not wait
 * for them. */
static rt_status take_back(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_upload *upload)
{
	struct rt_failure failure = ctx->failure;
	rt_status settled;

	rt_fail_clear(ctx);
	settled = eds_store_upload_settle(ctx, store, upload, EDS_UPLOAD_DONE);
	/* if this fails too, a later run drops the message, whose bytes are missing */
	(void)settled;
	ctx->failure = failure;
	return failure.category;
}

static rt_status store_message(
	struct rt_ctx *ctx, const struct upload_form *form, const char *message_id)
{
	const struct iovec part = {(void *)(uintptr_t)form->message, form->length};

	return rt_mailstore_put(ctx, message_id, &part, 1, true);
}

static rt_status check_quota(
	struct rt_ctx *ctx, struct eds_store *store, const struct rt_request *req, size_t octets)
{
	struct eds_networks networks;
	struct eds_stored_mail stored;

	eds_networks_of(ctx, rt_request_client(ctx, req), &networks);
	RT_TRY(eds_store_stored_mail(ctx, store, &networks, &stored));
	if (eds_mail_quota_has_room(&stored, octets))
		return RT_OK;
	return rt_fail(ctx, RT_LIMIT, "mail-quota-full",
		"the limit of stored test mail is reached; stored mail expires within 48 hours");
}

static rt_status take_message(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *test_id = rt_request_param(req, "testId");
	struct upload_form form;
	struct eds_store *store;
	struct eds_session session;
	struct eds_upload upload = {.test_id = test_id != NULL ? test_id : ""};
	const char *client;

	RT_TRY(eds_counted_client(ctx, req, &client));
	RT_TRY(upload_form_read(ctx, req, &form));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(check_quota(ctx, store, req, form.length));
	upload.message_id = rt_printf(ctx, "upload-%s", rt_uuid(ctx));
	upload.client_ip = form.client_ip;
	upload.helo = form.helo;
	upload.mail_from = form.mail_from;
	/* The row is written before the bytes, so that a crash in between leaves no bytes without a
	 * row. */
	RT_TRY(eds_store_upload_begin(ctx, store, client, rt_config()->sessions_per_hour, &upload));
	if (store_message(ctx, &form, upload.message_id) != RT_OK)
		return take_back(ctx, store, &upload);
	RT_TRY(eds_store_upload_ready(ctx, store, upload.message_id));
	RT_TRY(eds_store_session_get(ctx, store, upload.test_id, &session));
	rt_response_header(res, "location",
		rt_printf(ctx, "/api/inbound-tester/sessions/%s", session.test_id));
	rt_response_header(res, "eds-stored", upload.message_id);
	return eds_session_respond(ctx, req, res, 202, &session);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"clientIp", "helo", "mailFrom", NULL};

	rt_takes_query("POST", names);
	return rt_main_http_within(argc, argv, take_message, RT_LARGE_EVENT_BYTES_MAX);
}
