/* tester-expire: every minute
 *
 * out   {"messages": 12, "sessions": 30}: the numbers of removed messages and sessions
 *
 * Every read checks for itself whether a session has expired; this function removes what expired
 * sessions leave. It deletes a message's bytes before its row, so that a crash in between leaves no
 * bytes without a row. It stops in good time before its deadline; the next run continues.
 *
 * Once an hour it also deletes up to RT_MAILSTORE_NAMES_MAX messages in the mail store that are
 * older than any session can be, such as one that a receiver stored and whose event was lost.
 */
#include "functions/lib/store/tester/session-expiry.h"
#include "functions/lib/store/tester/stored-mail.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/mail-store/mailstore.h"
#include "runtime/time.h"

enum {
	MINUTE_MS = 60 * 1000,
	/* the 48 hours of a session, and an hour more for clocks that differ and for queues */
	FORGOTTEN_MS = 49 * 60 * MINUTE_MS,
};

struct removed {
	size_t messages;
	size_t sessions;
};

/* Deletes the bytes of the messages. If the mail store fails, stops and sets *count to the number
 * of messages handled before the failure. An id that the mail store refuses as invalid has no
 * bytes. */
static rt_status delete_bytes(struct rt_ctx *ctx, const char **message_ids, size_t *count)
{
	for (size_t i = 0; i < *count; i++) {
		rt_status status = rt_mailstore_delete(ctx, message_ids[i]);

		if (status == RT_BAD_INPUT)
			rt_fail_clear(ctx);
		else if (status != RT_OK) {
			*count = i;
			return status;
		}
	}
	return RT_OK;
}

static rt_status expire_batch(struct rt_ctx *ctx, struct eds_store *store, struct removed *batch)
{
	const char **message_ids;
	rt_status deleted;

	RT_TRY(eds_store_messages_expired(ctx, store, &message_ids, &batch->messages));
	deleted = delete_bytes(ctx, message_ids, &batch->messages);
	RT_TRY(eds_store_sessions_purge(
		ctx, store, message_ids, batch->messages, &batch->sessions));
	return deleted;
}

static bool is_full_hour(const struct rt_schedule_event *event)
{
	return event->time_ms / MINUTE_MS % 60 == 0;
}

static rt_status delete_forgotten(struct rt_ctx *ctx, struct removed *all)
{
	struct rt_mailstore_names *names = rt_alloc(ctx, sizeof *names);
	rt_status status;

	RT_TRY(rt_mailstore_list(ctx, rt_wall_ms() - FORGOTTEN_MS, names));
	status = delete_bytes(ctx, names->items, &names->count);
	all->messages += names->count;
	return status;
}

static rt_status expire(struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	int kept_ms = rt_remaining_ms(ctx) / 4;
	struct removed all = {0};
	struct removed batch;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	do {
		RT_TRY(expire_batch(ctx, store, &batch));
		all.messages += batch.messages;
		all.sessions += batch.sessions;
	} while ((batch.messages > 0 || batch.sessions > 0) && rt_remaining_ms(ctx) > kept_ms);
	RT_TRY(eds_store_stored_mail_expire(ctx, store));
	if (is_full_hour(event))
		RT_TRY(delete_forgotten(ctx, &all));
	*answer = json_object();
	rt_json_set(*answer, "messages", json_integer((json_int_t)all.messages));
	rt_json_set(*answer, "sessions", json_integer((json_int_t)all.sessions));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, expire);
}
