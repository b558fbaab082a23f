#include "runtime/host/pool/pool-queue.h"

#include <string.h>

#include "runtime/arena.h"
#include "runtime/time.h"

void pool_queue_init(struct pool_queue *queue)
{
	*queue = (struct pool_queue){.first = NULL};
	queue->last = &queue->first;
}

void pool_queue_push(struct pool_queue *queue, struct pool_waiting *waiting)
{
	waiting->next = NULL;
	*queue->last = waiting;
	queue->last = &waiting->next;
	queue->count++;
}

struct pool_waiting *pool_queue_take(struct pool_queue *queue, struct pool_waiting **link)
{
	struct pool_waiting *waiting = *link;

	*link = waiting->next;
	if (*link == NULL)
		queue->last = link;
	queue->count--;
	return waiting;
}

struct pool_waiting *pool_queue_pop(struct pool_queue *queue)
{
	return pool_queue_take(queue, &queue->first);
}

void pool_queue_put_front(struct pool_queue *queue, struct pool_queue *other)
{
	if (other->count == 0)
		return;
	*other->last = queue->first;
	if (queue->first == NULL)
		queue->last = other->last;
	queue->first = other->first;
	queue->count += other->count;
	pool_queue_init(other);
}

struct pool_waiting *pool_waiting_new(const struct pool_event *event)
{
	struct pool_waiting *waiting = rt_heap_alloc(sizeof *waiting + event->length);

	*waiting = (struct pool_waiting){.event = *event, .since_ms = rt_monotonic_ms()};
	waiting->event.text = waiting->text;
	if (event->length > 0)
		memcpy(waiting->text, event->text, event->length);
	return waiting;
}
