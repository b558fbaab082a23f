#include <stdio.h>

#include "local/dispatch/dispatch-state.h"
#include "local/dispatch/dispatch-wait.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	AWAY_AFTER = 3, /* failures in a row after which a need counts as broken */
	LET_GO_MS = 10000,
	DOUBLINGS_MAX = 16,
	HOUR_MS = 3600 * 1000,
};

void dispatch_want_nothing(struct item *item)
{
	struct dispatch *dispatch = item->dispatch;

	if (item->want == NULL)
		return;
	item->want->waiting--;
	item->want = NULL;
	item->waits = 0;
	metric_set(dispatch->waiting_gauge, --dispatch->waiting);
}

static void want(struct item *item, struct need *need)
{
	struct dispatch *dispatch = item->dispatch;

	if (item->want == need)
		return;
	dispatch_want_nothing(item);
	item->want = need;
	need->waiting++;
	metric_set(dispatch->waiting_gauge, ++dispatch->waiting);
}

/* The pause before the next try. It doubles each time, up to DISPATCH_WAIT_MS_MAX. A random part of
 * up to half is subtracted, so that the events do not all come back at once. */
static int next_pause_ms(struct item *item)
{
	int64_t pause_ms = (int64_t)item->dispatch->settings.pauses_ms[0] << item->waits;
	uint32_t chance;

	if (item->waits < DOUBLINGS_MAX)
		item->waits++;
	if (pause_ms > DISPATCH_WAIT_MS_MAX)
		pause_ms = DISPATCH_WAIT_MS_MAX;
	rt_random(&chance, sizeof chance);
	return (int)(pause_ms - chance % (pause_ms / 2 + 1));
}

static bool is_too_old(const struct item *item)
{
	return rt_wall_ms() - item->received_at_ms >= (int64_t)DISPATCH_WAIT_HOURS * HOUR_MS;
}

static void give_up(struct item *item, const char *why)
{
	char reason[DISPATCH_REASON_MAX];

	snprintf(reason, sizeof reason, "it waited %d hours: %s", DISPATCH_WAIT_HOURS, why);
	/* another event of the queue may be sent as a probe in place of this one */
	item->queue->probe = true;
	dispatch_give_up(item, reason);
}

void dispatch_wait(struct item *item, struct need *need, const char *reason)
{
	struct dispatch *dispatch = item->dispatch;

	need->in_row++;
	snprintf(need->reason, sizeof need->reason, "%s", reason);
	if (!dispatch->stopped && is_too_old(item)) {
		give_up(item, reason);
		return;
	}
	want(item, need);
	if (dispatch->stopped || !dispatch_pause(item, next_pause_ms(item))) {
		dispatch_item_free(item); /* the message stays in the spool for the next start */
		return;
	}
	metric_add(dispatch->retried, 1);
	rt_log_line(RT_LOG_WARNING, item->queue->function->name, item->message_id,
		"mail waits in the spool: %s", reason);
}

void dispatch_served(struct item *item, struct need *need)
{
	struct dispatch *dispatch = item->dispatch;
	int64_t now_ms = rt_monotonic_ms();

	if (item->want == need)
		dispatch_want_nothing(item);
	if (need->in_row == 0)
		return;
	need->in_row = 0;
	if (need->waiting > 0 && now_ms - need->let_go_at_ms >= LET_GO_MS) {
		need->let_go_at_ms = now_ms;
		dispatch_end_pauses(dispatch, need);
	}
	for (size_t i = 0; i < dispatch->settings.manifest->count; i++)
		dispatch_send_waiting(dispatch, &dispatch->queues[i]);
}

bool dispatch_has_needs(const struct dispatch *dispatch, const struct queue *queue)
{
	return queue->probe ||
		(queue->function_need.in_row < AWAY_AFTER && dispatch->store.in_row < AWAY_AFTER);
}

static bool is_away(const struct need *need)
{
	return need->waiting > 0 && need->in_row > 0;
}

const char *dispatch_absence(const struct dispatch *dispatch)
{
	if (is_away(&dispatch->store))
		return dispatch->store.reason;
	for (size_t i = 0; i < dispatch->settings.manifest->count; i++)
		if (is_away(&dispatch->queues[i].function_need))
			return dispatch->queues[i].function_need.reason;
	return NULL;
}
