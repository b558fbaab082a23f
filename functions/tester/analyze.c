/* tester-analyze: mail to <testId>@{tester_domain}
 *
 * out   {"analyzed": 1}, the sessions that hold this message's result now
 * err   message-not-found, store-unavailable, sandbox-violation, …: the event is sent again
 *
 * A message is analysed once, however often its event comes. One that nobody waits for is deleted,
 * as when the address expired while it was under way.
 */
#include <string.h>

#include "functions/lib/recipient.h"
#include "functions/lib/release.h"
#include "functions/tester/report.h"
#include "runtime/handler.h"

struct delivery {
	struct eds_store *store;
	const struct rt_mail_event *mail;
	const char *waiting[RT_MAIL_RECIPIENTS_MAX]; /* sessions without this message's result */
	size_t waiting_count;
	size_t holding_count; /* sessions that hold it */
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

/* Sessions that ended meanwhile are left out. */
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
		else
			delivery->waiting[live++] = delivery->waiting[i];
	}
	delivery->waiting_count = live;
	return RT_OK;
}

static rt_status store_result(struct rt_ctx *ctx, struct delivery *delivery, const char *result)
{
	const struct rt_mail_event *mail = delivery->mail;
	const struct eds_session_message message = {
		.message_id = mail->message_id,
		.received_at_ms = mail->received_at_ms,
		.client_ip = mail->envelope.client_ip,
		.helo = mail->envelope.helo,
		.mail_from = mail->mail_from,
		.tls = mail->envelope.tls,
	};

	for (size_t i = 0; i < delivery->waiting_count; i++) {
		rt_status status = eds_store_session_complete(
			ctx, delivery->store, delivery->waiting[i], &message, result);

		if (status == RT_NOT_FOUND || status == RT_LIMIT)
			rt_fail_clear(ctx); /* it ended or filled up while we analysed */
		else if (status != RT_OK)
			return status;
		else
			delivery->holding_count++;
	}
	return RT_OK;
}

static rt_status analyze_for_waiting(struct rt_ctx *ctx, struct delivery *delivery)
{
	struct analysis *analysis = rt_alloc(ctx, sizeof *analysis);

	RT_TRY(analysis_run(ctx, delivery->mail, analysis));
	return store_result(ctx, delivery, rt_json_format(ctx, report_json(ctx, analysis), NULL));
}

static rt_status analyze(struct rt_ctx *ctx, const struct rt_mail_event *mail, json_t **answer)
{
	struct delivery delivery = {.mail = mail};

	RT_TRY(eds_store_open(ctx, &delivery.store));
	for (size_t i = 0; i < mail->recipient_count; i++)
		RT_TRY(sort_recipient(ctx, &delivery, mail->recipients[i]));
	RT_TRY(keep_live(ctx, &delivery));
	if (delivery.waiting_count > 0)
		RT_TRY(analyze_for_waiting(ctx, &delivery));
	if (delivery.holding_count == 0)
		RT_TRY(eds_release_message(ctx, delivery.store, mail));
	*answer = json_object();
	rt_json_set(*answer, "analyzed", json_integer((json_int_t)delivery.holding_count));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_mail(argc, argv, analyze);
}
