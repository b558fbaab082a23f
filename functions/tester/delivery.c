#include "functions/tester/delivery.h"
#include "functions/lib/store/tester/session-replaced.h"
#include "functions/lib/store/tester/session.h"
#include "runtime/json-format.h"

#include <string.h>

#include "functions/lib/dkim/selector.h"
#include "functions/lib/mail-quota.h"
#include "functions/lib/recipient.h"
#include "functions/lib/release.h"
#include "functions/tester/report/report.h"
#include "functions/tester/report/session-text.h"
#include "runtime/config/config.h"
#include "runtime/counts.h"
#include "runtime/log.h"
#include "runtime/mail-store/mailstore.h"

struct delivery {
	struct eds_store *store;
	const struct rt_mail_event *mail;
	/* ids of sessions that do not have the result of this message */
	const char *waiting[RT_MAIL_RECIPIENTS_MAX];
	/* set by keep_live(): the sessions of waiting[] that have not ended */
	struct eds_session sessions[RT_MAIL_RECIPIENTS_MAX];
	size_t waiting_count;
	size_t holding_count; /* number of sessions that have the result */
	bool dropped;         /* the message is too large, or over the quotas */
	/* IP address whose quota the message uses; NULL: that of the message's client */
	const char *sent_by;
};

static bool is_waiting(const struct delivery *delivery, const char *test_id)
{
	for (size_t i = 0; i < delivery->waiting_count; i++)
		if (strcmp(delivery->waiting[i], test_id) == 0)
			return true;
	return false;
}

static rt_status sort_recipient(
	struct rt_ctx *ctx, struct delivery *delivery, const char *recipient)
{
	const char *test_id;
	bool has;

	if (eds_recipient_read(ctx, recipient, &test_id) != EDS_RECIPIENT_TESTER ||
		is_waiting(delivery, test_id))
		return RT_OK;
	RT_TRY(eds_store_session_has_message(
		ctx, delivery->store, test_id, delivery->mail->message_id, &has));
	if (has)
		delivery->holding_count++;
	else
		delivery->waiting[delivery->waiting_count++] = test_id;
	return RT_OK;
}

/* Reads the waiting sessions, and leaves out those that have ended meanwhile. */
static rt_status keep_live(struct rt_ctx *ctx, struct delivery *delivery)
{
	size_t live = 0;

	for (size_t i = 0; i < delivery->waiting_count; i++) {
		struct eds_session session;
		rt_status status = eds_store_session_get(
			ctx, delivery->store, delivery->waiting[i], &session);

		if (status == RT_NOT_FOUND)
			rt_fail_clear(ctx);
		else if (status != RT_OK)
			return status;
		else {
			delivery->sessions[live] = session;
			delivery->waiting[live++] = delivery->waiting[i];
		}
	}
	delivery->waiting_count = live;
	return RT_OK;
}

/* The IP address whose quota the message uses. For an upload it is sent_by; for mail, the address
 * that mail-accept was asked about. Mail that comes through a relay of ours is an exception: it
 * uses the quota of the relay's client.
 */
static const char *counted_ip(
	struct rt_ctx *ctx, const struct delivery *delivery, const struct eds_client *client)
{
	char *text = rt_alloc(ctx, RT_IP_TEXT_MAX);

	if (delivery->sent_by != NULL)
		return delivery->sent_by;
	if (client->ip.family == 0)
		return NULL;
	rt_ip_format(&client->ip, text);
	return text;
}

static rt_status has_room(struct rt_ctx *ctx, const struct delivery *delivery,
	const struct analysis *analysis, bool *room)
{
	struct eds_networks networks;
	struct eds_stored_mail stored;

	*room = true;
	if (delivery->mail->has_envelope)
		return RT_OK;
	eds_networks_of(ctx, counted_ip(ctx, delivery, &analysis->client), &networks);
	RT_TRY(eds_store_stored_mail(ctx, delivery->store, &networks, &stored));
	*room = eds_mail_quota_has_room(&stored, analysis->message_bytes);
	return RT_OK;
}

/* Lists the domains and selectors of valid signatures. If the account that created the session has
 * one of these domains, the store adds the selectors of the domain's signatures to the domain as
 * discovered selectors. */
static void take_signing_names(
	struct rt_ctx *ctx, const struct eds_dkim_result *dkim, struct eds_session_message *message)
{
	struct eds_signing_name *names = rt_alloc_array(ctx, dkim->count + 1, sizeof *names);

	for (size_t i = 0; i < dkim->count; i++) {
		const struct eds_dkim_signature *signature = &dkim->signatures[i];

		if (signature->state != EDS_DKIM_VALID)
			continue;
		if (eds_dkim_selector_is_dotted(signature->selector) ||
			eds_dkim_selector_validate(ctx, signature->selector) == RT_OK)
			names[message->signing_name_count++] = (struct eds_signing_name){
				.domain = rt_lower(ctx, signature->domain),
				.selector = signature->selector};
		rt_fail_clear(ctx);
	}
	message->signing_names = names;
}

static rt_status store_result(struct rt_ctx *ctx, struct delivery *delivery,
	const struct analysis *analysis, const char *result)
{
	const struct rt_mail_event *mail = delivery->mail;
	struct eds_session_message message = {
		.counted_ip = counted_ip(ctx, delivery, &analysis->client),
		.octets = analysis->message_bytes,
		.message_id = mail->message_id,
		.received_at_ms = mail->received_at_ms,
		.client_ip = mail->envelope.client_ip,
		.helo = mail->envelope.helo,
		.mail_from = mail->mail_from,
		.tls = mail->envelope.tls,
	};

	take_signing_names(ctx, &analysis->dkim, &message);
	for (size_t i = 0; i < delivery->waiting_count; i++) {
		rt_status status;

		message.notice = session_text_notice(ctx, &delivery->sessions[i], result);
		status = eds_store_session_complete(
			ctx, delivery->store, delivery->waiting[i], &message, result);
		if (status == RT_NOT_FOUND || status == RT_LIMIT)
			rt_fail_clear(ctx); /* the session ended or filled up during the analysis */
		else if (status != RT_OK)
			return status;
		else {
			delivery->holding_count++;
			rt_count(RT_COUNT_SESSIONS_COMPLETED);
		}
	}
	return RT_OK;
}

/* Handles a message that is not in the mail store. That is not a failure if an earlier delivery of
 * the same event dropped the message. */
static rt_status forgive_dropped(struct rt_ctx *ctx, struct delivery *delivery)
{
	const struct rt_failure failure = ctx->failure;

	rt_fail_clear(ctx);
	RT_TRY(eds_store_mail_was_dropped(
		ctx, delivery->store, delivery->mail->message_id, &delivery->dropped));
	if (delivery->dropped)
		return RT_OK;
	ctx->failure = failure;
	return RT_NOT_FOUND;
}

static rt_status analyze_for_waiting(struct rt_ctx *ctx, struct delivery *delivery)
{
	struct analysis *analysis = rt_alloc(ctx, sizeof *analysis);
	size_t bytes_max = delivery->mail->has_envelope ? RT_MAILSTORE_OBJECT_MAX
							: rt_config()->tester_message_max;
	rt_status status = analysis_run(ctx, delivery->mail, bytes_max, analysis);
	bool room;

	if (status == RT_LIMIT) {
		delivery->dropped = true;
		rt_log(ctx, RT_LOG_WARNING, "a test message is dropped: %s", ctx->failure.detail);
		rt_fail_clear(ctx);
		return RT_OK;
	}
	if (status == RT_NOT_FOUND)
		return forgive_dropped(ctx, delivery);
	RT_TRY(status);
	RT_TRY(has_room(ctx, delivery, analysis, &room));
	if (room)
		return store_result(ctx, delivery, analysis,
			rt_json_format(ctx, report_json(ctx, analysis), NULL));
	delivery->dropped = true;
	rt_log(ctx, RT_LOG_WARNING,
		"a test message of %zu octets is dropped: EDS_TESTER_MAIL_QUOTA is used up",
		analysis->message_bytes);
	return RT_OK;
}

/* Deletes those messages of the recipient's session that a newer message has replaced, so that they
 * use no quota. */
static rt_status forget_replaced(struct rt_ctx *ctx, struct eds_store *store, const char *recipient)
{
	const char *test_id;
	const char **ids;
	size_t count;

	if (eds_recipient_read(ctx, recipient, &test_id) != EDS_RECIPIENT_TESTER)
		return RT_OK;
	RT_TRY(eds_store_messages_replaced(ctx, store, test_id, &ids, &count));
	for (size_t i = 0; i < count; i++) {
		RT_TRY(rt_mailstore_delete(ctx, ids[i]));
		RT_TRY(eds_store_message_forget(ctx, store, test_id, ids[i]));
	}
	return RT_OK;
}

static size_t keep_reports(struct rt_ctx *ctx, const char **recipients, size_t count)
{
	size_t kept = 0;
	const char *id;

	for (size_t i = 0; i < count; i++)
		if (eds_recipient_read(ctx, recipients[i], &id) == EDS_RECIPIENT_REPORTS)
			recipients[kept++] = recipients[i];
	return kept;
}

/* Drops the message for the tester. If it was also sent to report addresses, it stays stored until
 * reports-ingest has read it. */
static rt_status drop_message(struct rt_ctx *ctx, const struct delivery *delivery)
{
	struct rt_mail_event mail = *delivery->mail;

	RT_TRY(eds_store_mail_drop(ctx, delivery->store, mail.message_id));
	mail.recipient_count = keep_reports(ctx, mail.recipients, mail.recipient_count);
	mail.destination_count = keep_reports(ctx, mail.destinations, mail.destination_count);
	return eds_release_message(ctx, delivery->store, &mail);
}

rt_status delivery_run(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const char *sent_by, size_t *holding)
{
	struct delivery delivery = {.store = store, .mail = mail, .sent_by = sent_by};

	for (size_t i = 0; i < mail->recipient_count; i++)
		RT_TRY(sort_recipient(ctx, &delivery, mail->recipients[i]));
	RT_TRY(keep_live(ctx, &delivery));
	if (delivery.waiting_count > 0)
		RT_TRY(analyze_for_waiting(ctx, &delivery));
	if (delivery.holding_count == 0)
		RT_TRY(delivery.dropped ? drop_message(ctx, &delivery)
					: eds_release_message(ctx, store, mail));
	for (size_t i = 0; i < mail->recipient_count; i++)
		RT_TRY(forget_replaced(ctx, store, mail->recipients[i]));
	*holding = delivery.holding_count;
	return RT_OK;
}

/* The envelope is the one that the client gave. When the client gave no address, none is taken from
 * Received fields: the client wrote those fields too, even a field that looks as if this server had
 * added it. */
static void mail_from_upload(
	struct rt_ctx *ctx, const struct eds_upload *upload, struct rt_mail_event *mail)
{
	*mail = (struct rt_mail_event){
		.message_id = upload->message_id,
		.received_at_ms = upload->received_at_ms,
		.mail_from = upload->mail_from,
		.recipient_count = 1,
		.has_envelope = true,
		.envelope =
			{
				.client_ip = upload->client_ip,
				.helo = upload->helo,
				.mail_from = upload->mail_from,
			},
	};
	mail->recipients[0] = rt_printf(ctx, "%s@%s", upload->test_id, rt_config()->tester_domain);
}

/* Decides whether a failed upload is tried again. When the upload is given up, the failure is
 * logged and *status becomes RT_OK. */
static enum eds_upload_end judge_failure(
	struct rt_ctx *ctx, const struct eds_upload *upload, rt_status *status)
{
	if (*status == RT_TEMPORARY)
		return EDS_UPLOAD_LATER;
	if (*status != RT_NOT_FOUND && upload->tries < EDS_UPLOAD_TRIES)
		return EDS_UPLOAD_FAILED;
	rt_log(ctx, RT_LOG_ERROR, "a message that arrived over HTTP is given up: %s: %s",
		ctx->failure.code, ctx->failure.detail);
	rt_fail_clear(ctx);
	*status = RT_OK;
	return EDS_UPLOAD_DONE;
}

rt_status delivery_of_upload(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_upload *upload, size_t *holding)
{
	enum eds_upload_end end = EDS_UPLOAD_DONE;
	struct rt_failure failure;
	struct rt_mail_event mail;
	rt_status status = RT_INTERNAL;

	*holding = 0;
	mail_from_upload(ctx, upload, &mail);
	/* The last allowed try has not ended its claim: probably the process crashed during the
	 * analysis. */
	if (upload->tries > EDS_UPLOAD_TRIES)
		status = rt_fail(ctx, RT_INTERNAL, "analysis-crashed",
			"the function ended %d times while it analyzed the message",
			EDS_UPLOAD_TRIES);
	else
		status = delivery_run(ctx, store, &mail,
			rt_memdup(ctx, upload->client, strcspn(upload->client, "/")), holding);
	if (status != RT_OK)
		end = judge_failure(ctx, upload, &status);
	failure = ctx->failure;
	rt_fail_clear(ctx);
	RT_TRY(eds_store_upload_settle(ctx, store, upload, end));
	ctx->failure = failure;
	return status;
}
