#include "functions/lib/dns/bulk.h"
#include "runtime/time.h"

static void take(void *arg, size_t i, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	const struct eds_dns_bulk *bulk = arg;

	bulk->done(bulk->arg, i, ctx, answer);
}

/* Adds new questions only as answers come in, so the queue holds at most EDS_DNS_WINDOW questions.
 * When the time is over, adds all remaining questions, which then fail at once. */
static void ask_all(struct eds_dns_queue *queue, struct eds_dns_bulk *bulk)
{
	int64_t until_ms = rt_monotonic_ms() + bulk->wait_ms;
	int64_t left_ms = bulk->wait_ms;
	size_t i = 0;

	while ((i < bulk->count || eds_dns_queue_count(queue) > 0) && left_ms > 0) {
		while (i < bulk->count && eds_dns_queue_count(queue) < EDS_DNS_WINDOW) {
			eds_dns_queue_ask(
				queue, bulk->name(bulk->arg, i), bulk->type, take, bulk, i);
			i++;
		}
		eds_dns_queue_turn(queue, -1, (int)left_ms);
		left_ms = until_ms - rt_monotonic_ms();
	}
	for (; i < bulk->count; i++)
		eds_dns_queue_ask(queue, bulk->name(bulk->arg, i), bulk->type, take, bulk, i);
	eds_dns_queue_cancel(queue);
}

rt_status eds_dns_bulk(struct rt_ctx *ctx, const struct eds_dns_bulk *bulk)
{
	struct eds_dns_bulk copy = *bulk;
	struct eds_dns_queue *queue;

	RT_TRY(eds_dns_queue_new(ctx, &queue));
	ask_all(queue, &copy);
	return RT_OK;
}
