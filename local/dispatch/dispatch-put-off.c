#include "local/dispatch/dispatch-put-off.h"

#include "runtime/log.h"

bool dispatch_may_put_off(const struct item *item)
{
	return item->put_offs < PUT_OFFS_MAX &&
		fair_may_be_put_off(&item->queue->waiting, &item->turn, item->held_octets);
}

/* The pause before the next try. It is four times the previous pause, up to PUT_OFF_MS_MAX: a
 * resolver usually works again within a minute, and each further try may cost the function seconds.
 */
static int next_pause_ms(const struct item *item)
{
	int64_t pause_ms = (int64_t)item->dispatch->settings.put_off_ms << (2 * item->put_offs);

	return pause_ms < PUT_OFF_MS_MAX ? (int)pause_ms : PUT_OFF_MS_MAX;
}

void dispatch_put_off(struct item *item, const char *reason)
{
	struct dispatch *dispatch = item->dispatch;
	int pause_ms = next_pause_ms(item);

	if (item->put_offs++ == 0)
		metric_set(dispatch->put_off_gauge, ++dispatch->put_off);
	fair_put_off(&item->queue->waiting, &item->turn, item->held_octets);
	if (dispatch->stopped || !dispatch_pause(item, pause_ms)) {
		dispatch_item_free(item); /* the message stays in the spool for the next start */
		return;
	}
	metric_add(dispatch->retried, 1);
	rt_log_line(RT_LOG_INFO, item->queue->function->name, item->message_id,
		"mail is put off for %d seconds: %s", pause_ms / 1000, reason);
}

void dispatch_forget_put_off(const struct item *item)
{
	if (item->put_offs > 0)
		metric_set(item->dispatch->put_off_gauge, --item->dispatch->put_off);
}
