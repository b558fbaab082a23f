#include "functions/lib/dns/bulk.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/dns/answer.h"
#include "functions/lib/dns/name.h"
#include "functions/lib/dns/resolver.h"

struct run;

/* A place in the window. */
struct slot {
	struct run *run;
	struct slot *next_free;
	size_t i;
	char name[EDS_DNS_NAME_MAX + 1];
};

struct run {
	const struct eds_dns_bulk *bulk;
	struct rt_ctx scratch; /* memory of one answer */
	struct slot *free;
	size_t in_flight;
	struct slot slots[EDS_DNS_WINDOW];
};

static void hand_over(struct run *run, size_t i, const struct eds_dns_answer *answer)
{
	run->bulk->done(run->bulk->arg, i, &run->scratch, answer);
	rt_arena_reset(run->scratch.arena);
}

static void hand_over_unasked(
	struct run *run, size_t i, const char *name, enum eds_dns_state state, const char *reason)
{
	struct eds_dns_answer answer = {.name = name,
		.canonical = name,
		.type = run->bulk->type,
		.state = state,
		.reason = reason};

	hand_over(run, i, &answer);
}

static void on_reply(void *arg, const uint8_t *bytes, size_t length, const char *failure)
{
	struct slot *slot = arg;
	struct run *run = slot->run;
	struct eds_dns_answer answer;

	if (bytes != NULL) {
		eds_dns_answer_read(
			&run->scratch, bytes, length, slot->name, run->bulk->type, &answer);
		hand_over(run, slot->i, &answer);
	} else if (strcmp(failure, "NXDOMAIN") == 0) {
		hand_over_unasked(run, slot->i, slot->name, EDS_DNS_NO_NAME, "");
	} else {
		hand_over_unasked(run, slot->i, slot->name, EDS_DNS_TEMPORARY, failure);
	}
	slot->next_free = run->free;
	run->free = slot;
	run->in_flight--;
}

static void ask(struct run *run, size_t i)
{
	const char *name = run->bulk->name(run->bulk->arg, i);
	struct slot *slot = run->free;

	if (!eds_dns_name_normalize(name, slot->name)) {
		hand_over_unasked(run, i, name, EDS_DNS_NO_NAME, "");
		return;
	}
	run->free = slot->next_free;
	run->in_flight++;
	slot->i = i;
	eds_resolver_ask(slot->name, run->bulk->type, on_reply, slot);
}

/* Questions go out as answers come in: never more in flight than the window. */
static void ask_all(struct run *run)
{
	int64_t until_ms = rt_monotonic_ms() + run->bulk->wait_ms;
	int64_t left_ms = run->bulk->wait_ms;
	size_t i = 0;

	while ((i < run->bulk->count || run->in_flight > 0) && left_ms > 0) {
		while (i < run->bulk->count && run->free != NULL)
			ask(run, i++);
		if (run->in_flight > 0)
			eds_resolver_turn(-1, (int)left_ms);
		left_ms = until_ms - rt_monotonic_ms();
	}
	eds_resolver_cancel();
	for (; i < run->bulk->count; i++)
		hand_over_unasked(run, i, run->bulk->name(run->bulk->arg, i), EDS_DNS_TEMPORARY,
			"no time left");
}

rt_status eds_dns_bulk(struct rt_ctx *ctx, const struct eds_dns_bulk *bulk)
{
	struct run *run;

	RT_TRY(eds_resolver_open(ctx));
	run = rt_alloc(ctx, sizeof *run);
	run->bulk = bulk;
	run->scratch = *ctx;
	run->scratch.arena = rt_arena_new();
	for (size_t i = 0; i < EDS_DNS_WINDOW; i++) {
		run->slots[i].run = run;
		run->slots[i].next_free = run->free;
		run->free = &run->slots[i];
	}
	ask_all(run);
	rt_arena_free(run->scratch.arena);
	return RT_OK;
}
