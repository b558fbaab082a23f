#include "functions/lib/dns/queue.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/dns/answer.h"
#include "functions/lib/dns/counted.h"
#include "functions/lib/dns/name.h"
#include "functions/lib/dns/own-names.h"
#include "functions/lib/dns/resolver.h"

/* One question, waiting or in flight; its memory is reused. */
struct slot {
	struct eds_dns_queue *queue;
	struct slot *next; /* the next in the list of waiting or of free slots */
	eds_dns_queue_done done;
	void *arg;
	size_t tag;
	enum eds_dns_type type;
	bool possible;    /* false when no such name can exist */
	bool public_only; /* own-names.h */
	char name[EDS_DNS_NAME_MAX + 1];
};

struct eds_dns_queue {
	struct rt_ctx *ctx;
	struct rt_ctx scratch; /* memory of one answer */
	struct slot *free;
	struct slot *first_waiting;
	struct slot **end_waiting;
	size_t waiting;
	size_t in_flight;
	size_t handed_over;
	bool ended; /* the queue has ended, so no callback may run */
};

static void end_queue(void *handle)
{
	struct eds_dns_queue *queue = handle;

	queue->ended = true;
	if (queue->in_flight > 0)
		eds_resolver_cancel();
}

rt_status eds_dns_queue_new(struct rt_ctx *ctx, struct eds_dns_queue **queue)
{
	RT_TRY(eds_resolver_open(ctx));
	*queue = rt_alloc(ctx, sizeof **queue);
	(*queue)->ctx = ctx;
	(*queue)->scratch = rt_ctx_apart(ctx);
	(*queue)->end_waiting = &(*queue)->first_waiting;
	rt_on_release(ctx, end_queue, *queue);
	return RT_OK;
}

static struct slot *take_slot(struct eds_dns_queue *queue)
{
	struct slot *slot = queue->free;

	if (slot == NULL)
		return rt_alloc(queue->ctx, sizeof *slot);
	queue->free = slot->next;
	return slot;
}

/* Only stores the question, even when its answer is known. The caller may be a callback, and no
 * other callback may run before that one returns. */
static struct slot *add(struct eds_dns_queue *queue, const char *name, enum eds_dns_type type,
	eds_dns_queue_done done, void *arg, size_t tag)
{
	struct slot *slot = take_slot(queue);

	slot->queue = queue;
	slot->next = NULL;
	slot->done = done;
	slot->arg = arg;
	slot->tag = tag;
	slot->type = type;
	slot->public_only = false;
	slot->possible = eds_dns_name_normalize(name, slot->name);
	if (!slot->possible) {
		size_t length = strnlen(name, EDS_DNS_NAME_MAX);

		memcpy(slot->name, name, length);
		slot->name[length] = '\0';
	}
	*queue->end_waiting = slot;
	queue->end_waiting = &slot->next;
	queue->waiting++;
	return slot;
}

void eds_dns_queue_ask(struct eds_dns_queue *queue, const char *name, enum eds_dns_type type,
	eds_dns_queue_done done, void *arg, size_t tag)
{
	add(queue, name, type, done, arg, tag)->public_only = eds_dns_keeps_own_names();
}

void eds_dns_queue_ask_own(struct eds_dns_queue *queue, const char *name, enum eds_dns_type type,
	eds_dns_queue_done done, void *arg, size_t tag)
{
	(void)add(queue, name, type, done, arg, tag);
}

size_t eds_dns_queue_count(const struct eds_dns_queue *queue)
{
	return queue->waiting + queue->in_flight;
}

static void hand_over(struct slot *slot, const struct eds_dns_answer *answer)
{
	struct eds_dns_queue *queue = slot->queue;

	queue->handed_over++;
	slot->done(slot->arg, slot->tag, &queue->scratch, answer);
	rt_arena_reset(queue->scratch.arena);
	slot->next = queue->free;
	queue->free = slot;
}

static struct eds_dns_answer unasked(
	const struct slot *slot, enum eds_dns_state state, const char *reason)
{
	return (struct eds_dns_answer){.name = slot->name,
		.canonical = slot->name,
		.type = slot->type,
		.state = state,
		.reason = reason};
}

static void hand_over_unasked(struct slot *slot, enum eds_dns_state state, const char *reason)
{
	struct eds_dns_answer answer = unasked(slot, state, reason);

	hand_over(slot, &answer);
}

static void on_reply(void *arg, const struct eds_dns_reply *reply)
{
	struct slot *slot = arg;
	struct eds_dns_queue *queue = slot->queue;
	struct eds_dns_answer answer;

	queue->in_flight--;
	if (queue->ended)
		return;
	answer = unasked(slot, reply->state, reply->reason);
	answer.failure = reply->failure;
	if (reply->bytes != NULL)
		eds_dns_answer_read(&queue->scratch, reply->bytes, reply->length, slot->name,
			slot->type, &answer);
	if (slot->public_only)
		eds_dns_keep_own_name(&answer);
	eds_dns_count(&answer);
	hand_over(slot, &answer);
}

static struct slot *take_waiting(struct eds_dns_queue *queue)
{
	struct slot *slot = queue->first_waiting;

	queue->first_waiting = slot->next;
	if (queue->first_waiting == NULL)
		queue->end_waiting = &queue->first_waiting;
	queue->waiting--;
	return slot;
}

static void send_waiting(struct eds_dns_queue *queue)
{
	while (queue->waiting > 0 && queue->in_flight < EDS_DNS_WINDOW) {
		struct slot *slot = take_waiting(queue);

		if (!slot->possible || (slot->public_only && !eds_dns_name_is_public(slot->name))) {
			hand_over_unasked(slot, EDS_DNS_NO_NAME, "");
			continue;
		}
		queue->in_flight++;
		eds_resolver_ask(slot->name, slot->type, on_reply, slot);
	}
}

/* Some questions are answered without waiting, because the name cannot exist or the kernel refuses
 * to send. These may be the only ones the caller waits for, so it gets control back at once. */
bool eds_dns_queue_turn(struct eds_dns_queue *queue, int fd, int max_ms)
{
	size_t before = queue->handed_over;

	send_waiting(queue);
	if (fd < 0 && queue->in_flight == 0)
		return false;
	return eds_resolver_turn(fd, queue->handed_over > before ? 0 : max_ms);
}

void eds_dns_queue_cancel(struct eds_dns_queue *queue)
{
	while (queue->in_flight + queue->waiting > 0) {
		eds_resolver_cancel();
		if (queue->waiting > 0)
			hand_over_unasked(take_waiting(queue), EDS_DNS_TEMPORARY, "no time left");
	}
}
