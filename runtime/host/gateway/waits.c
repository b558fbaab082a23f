#include "runtime/host/gateway/waits.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/arena.h"
#include "runtime/buffer.h"
#include "runtime/ctx.h"
#include "runtime/host/json-write.h"
#include "runtime/host/metrics.h"
#include "runtime/time.h"

enum {
	QUESTION_BYTES_MAX = WAITS_MAX * (WAITS_NAME_MAX + 3) * 6,
};

struct waits {
	struct pools *pools;
	const struct waits_calls *calls;
	struct event *look;
	struct waiter *first; /* requests that wait or are settled, newest first */
	size_t count;
	size_t again; /* number of requests that were sent again and are not answered yet */
	bool asking;
	bool stopped;
	bool looking; /* the timer runs */
	struct rt_buffer question;
	struct metric *gauge;
};

static void link_waiter(struct waits *waits, struct waiter *waiter)
{
	waiter->state = WAITER_WAITS;
	waiter->next = waits->first;
	waiter->link = &waits->first;
	if (waiter->next != NULL)
		waiter->next->link = &waiter->next;
	waits->first = waiter;
	metric_set(waits->gauge, ++waits->count);
}

static void unlink_waiter(struct waits *waits, struct waiter *waiter)
{
	*waiter->link = waiter->next;
	if (waiter->next != NULL)
		waiter->next->link = waiter->link;
	waiter->state = WAITER_IDLE;
	metric_set(waits->gauge, --waits->count);
}

static void start_looking(struct waits *waits)
{
	const struct timeval interval = {.tv_usec = WAITS_LOOK_MS * 1000};

	if (!waits->looking)
		event_add(waits->look, &interval);
	waits->looking = true;
}

/* Sends settled requests to their functions again, only a few at a time, so that handlers stay free
 * for other requests. */
static void send_settled(struct waits *waits)
{
	struct waiter *waiter = waits->first;

	while (waiter != NULL && waits->again < WAITS_AGAIN_MAX) {
		struct waiter *next = waiter->next;

		if (waiter->state == WAITER_SETTLED) {
			unlink_waiter(waits, waiter);
			waiter->state = WAITER_AGAIN;
			waits->again++;
			waits->calls->again(waiter);
		}
		waiter = next;
	}
}

static void mark_settled(struct waits *waits, const char *name)
{
	for (struct waiter *waiter = waits->first; waiter != NULL; waiter = waiter->next)
		if (waiter->state == WAITER_WAITS && strcmp(waiter->name, name) == 0)
			waiter->state = WAITER_SETTLED;
}

/* Handles a function's answer with the settled names. If the function failed, no name is settled,
 * and the next event asks again. */
static void on_settled(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct waits *waits = arg;
	json_t *answer = outcome == POOL_ANSWERED ? json_loadb(text, length, 0, NULL) : NULL;
	const json_t *settled = json_object_get(answer, "settled");

	waits->asking = false;
	for (size_t i = 0; i < json_array_size(settled); i++)
		if (json_is_string(json_array_get(settled, i)))
			mark_settled(waits, json_string_value(json_array_get(settled, i)));
	json_decref(answer);
	send_settled(waits);
}

static void ask(struct waits *waits)
{
	struct rt_buffer *question = &waits->question;
	const struct manifest_function *asks = NULL;

	rt_buffer_clear(question);
	rt_buffer_text(question, "{\"names\":[");
	for (const struct waiter *waiter = waits->first; waiter != NULL; waiter = waiter->next) {
		if (waiter->state != WAITER_WAITS || (asks != NULL && waiter->asks != asks))
			continue;
		if (asks != NULL)
			rt_buffer_text(question, ",");
		asks = waiter->asks;
		json_write_text(question, waiter->name);
	}
	rt_buffer_text(question, "]}");
	if (asks == NULL || question->overflow)
		return;
	waits->asking = true;
	pools_submit(waits->pools, asks, question->bytes, question->length, on_settled, waits);
}

static void end_late(struct waits *waits)
{
	int64_t now_ms = rt_monotonic_ms();
	struct waiter *waiter = waits->first;

	while (waiter != NULL) {
		struct waiter *next = waiter->next;

		if (waits->stopped || waiter->until_ms <= now_ms) {
			unlink_waiter(waits, waiter);
			waits->calls->enough(waiter);
		}
		waiter = next;
	}
}

static void on_look(evutil_socket_t fd, short what, void *arg)
{
	struct waits *waits = arg;

	(void)fd;
	(void)what;
	end_late(waits);
	if (waits->first == NULL) {
		event_del(waits->look);
		waits->looking = false;
		return;
	}
	send_settled(waits);
	if (!waits->asking)
		ask(waits);
}

struct waits *waits_new(
	struct event_base *base, struct pools *pools, const struct waits_calls *calls)
{
	struct waits *waits = rt_heap_alloc(sizeof *waits);

	waits->pools = pools;
	waits->calls = calls;
	waits->look = event_new(base, -1, EV_PERSIST, on_look, waits);
	waits->gauge = metric_gauge(
		"eds_http_waiting", "Requests that wait until their result is available.", "");
	rt_buffer_init_heap(&waits->question, QUESTION_BYTES_MAX);
	return waits;
}

static bool has_room(const struct waits *waits, uint64_t sender)
{
	size_t own = 0;

	for (const struct waiter *waiter = waits->first; waiter != NULL; waiter = waiter->next)
		own += waiter->sender == sender;
	return waits->count < WAITS_MAX && own < WAITS_PER_SENDER_MAX;
}

bool waits_add(struct waits *waits, struct waiter *waiter)
{
	if (waits->stopped || waiter->until_ms <= rt_monotonic_ms() ||
		!has_room(waits, waiter->sender))
		return false;
	link_waiter(waits, waiter);
	start_looking(waits);
	return true;
}

void waits_answered(struct waits *waits, struct waiter *waiter)
{
	if (waiter->state != WAITER_AGAIN)
		return;
	waiter->state = WAITER_IDLE;
	waits->again--;
}

void waits_remove(struct waits *waits, struct waiter *waiter)
{
	if (waiter->state == WAITER_WAITS || waiter->state == WAITER_SETTLED)
		unlink_waiter(waits, waiter);
}

void waits_stop(struct waits *waits)
{
	waits->stopped = true;
	end_late(waits);
}

void waits_free(struct waits *waits)
{
	event_free(waits->look);
	rt_buffer_done(&waits->question);
	free(waits);
}
