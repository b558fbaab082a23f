#include "runtime/event/handler-mail.h"
#include "runtime/event/event-mail.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/log.h"

static rt_status handle_item(struct rt_ctx *ctx, rt_mail_handler handler, int64_t begin_until_ms,
	const struct rt_mail_item *item, json_t **answer)
{
	if (item->odd != NULL)
		return rt_fail(ctx, RT_BAD_INPUT, "event-invalid", "%s", item->odd);
	if (item->is_setup) {
		rt_log(ctx, RT_LOG_INFO,
			"the event only says that notifications about mail were set up");
		*answer = json_object();
		return RT_OK;
	}
	if (rt_monotonic_ms() > begin_until_ms)
		return rt_fail(ctx, RT_TEMPORARY, "batch-too-slow",
			"the earlier messages used up the time of the event");
	return handler(ctx, &item->mail, answer);
}

/* Logs that a message was not processed. A message that is put off is no failure: its line has the
 * level "info" and does not have the text for which an alarm searches. */
static void log_failed(struct rt_ctx *ctx, rt_status status, const struct rt_mail_item *item)
{
	rt_log(ctx, status == RT_LATER ? RT_LOG_INFO : RT_LOG_ERROR, "message %s %s: %s: %s",
		item->mail.message_id != NULL ? item->mail.message_id : item->sqs_id,
		status == RT_LATER ? "is put off" : "failed", ctx->failure.code,
		ctx->failure.detail);
}

/* Adds the id of a failed message. One SQS message may contain an S3 event about several mails, so
 * its id is added only once. */
static void add_failed(struct rt_ctx *ctx, json_t *failures, const char *sqs_id)
{
	const json_t *last = json_array_get(failures, json_array_size(failures) - 1);
	const char *id = rt_json_string(last, "itemIdentifier");
	json_t *failed;

	if (id != NULL && strcmp(id, sqs_id) == 0)
		return;
	failed = json_object();
	rt_json_set_text(ctx, failed, "itemIdentifier", sqs_id);
	rt_json_append(failures, failed);
}

rt_status rt_handle_mail(struct rt_ctx *ctx, rt_mail_handler handler, int timeout_ms,
	const json_t *event, json_t **answer)
{
	int64_t half_ms = rt_monotonic_ms() + timeout_ms / 2;
	json_t *failures = json_array();
	struct rt_mail_item *items;
	size_t count;

	RT_TRY(rt_event_mail(ctx, event, &items, &count));
	for (size_t i = 0; i < count; i++) {
		rt_status status = handle_item(
			ctx, handler, i == 0 ? INT64_MAX : half_ms, &items[i], answer);

		if (status == RT_OK)
			continue;
		if (items[i].sqs_id == NULL)
			return status;
		log_failed(ctx, status, &items[i]);
		rt_fail_clear(ctx);
		add_failed(ctx, failures, items[i].sqs_id);
	}
	if (count > 0 && items[0].sqs_id != NULL) {
		*answer = json_object();
		rt_json_set(*answer, "batchItemFailures", failures);
	}
	return RT_OK;
}
