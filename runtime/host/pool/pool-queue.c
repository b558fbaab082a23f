#include "runtime/host/pool/pool-queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ctx.h"
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

struct pool_waiting *pool_queue_pop(struct pool_queue *queue)
{
	struct pool_waiting *waiting = queue->first;

	queue->first = waiting->next;
	if (queue->first == NULL)
		queue->last = &queue->first;
	queue->count--;
	return waiting;
}

struct pool_waiting *pool_waiting_new(const char *event, size_t length, pool_done done, void *arg)
{
	struct pool_waiting *waiting = malloc(sizeof *waiting + length);

	if (waiting == NULL) {
		fputs("eds: out of memory\n", stderr);
		exit(RT_EXIT_MEMORY);
	}
	*waiting = (struct pool_waiting){
		.done = done, .arg = arg, .since_ms = rt_monotonic_ms(), .length = length};
	if (length > 0)
		memcpy(waiting->event, event, length);
	return waiting;
}
