#include "functions/lib/mta-sts/policy-fetch.h"
#include "runtime/time.h"

enum {
	LOOK_EVERY_MS = 500, /* longest pause before the parked fetches are examined again */
	SOON_MS = 60 * 1000, /* how long a policy is postponed when no place becomes free for it,
			      * in time or before the run ends */
	/* How long a policy is postponed when its account has made as many connections to an
	 * address in this hour as it may: a random time between these two limits, so that it is not
	 * always the same policies that come too late. */
	LATER_LEAST_MS = 15 * 60 * 1000,
	LATER_MOST_MS = 60 * 60 * 1000,
};

struct queue {
	struct eds_check *first;
	struct eds_check **end;
};

struct eds_policy_fetches {
	struct eds_fetcher *fetcher;
	void (*postponed)(struct eds_check *check);
	struct eds_addresses *addresses;
	struct queue cold;   /* checks of hosted policies that were never fetched */
	bool warming;        /* a policy from the queue `cold` is being fetched */
	struct queue parked; /* checks whose fetch waits for a place at an address */
	bool freed;          /* a place has become free since the parked fetches were last tried */
};

static void add(struct queue *queue, struct eds_check *check)
{
	check->next = NULL;
	*queue->end = check;
	queue->end = &check->next;
}

static struct eds_check *take(struct queue *queue)
{
	struct eds_check *check = queue->first;

	if (check == NULL)
		return NULL;
	queue->first = check->next;
	if (queue->first == NULL)
		queue->end = &queue->first;
	return check;
}

struct eds_policy_fetches *eds_policy_fetches_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher,
	const struct eds_address_hours *hours, void (*postponed)(struct eds_check *check))
{
	struct eds_policy_fetches *fetches = rt_alloc(ctx, sizeof *fetches);

	fetches->fetcher = fetcher;
	fetches->postponed = postponed;
	fetches->addresses = eds_addresses_new(ctx, EDS_ADDRESS_POLICIES, hours);
	fetches->cold.end = &fetches->cold.first;
	fetches->parked.end = &fetches->parked.first;
	return fetches;
}

static void postpone(
	struct eds_policy_fetches *fetches, struct eds_check *check, int64_t postponed_ms)
{
	check->seen.postponed_ms = postponed_ms;
	fetches->postponed(check);
}

static int64_t some_time_later(void)
{
	uint32_t chance;

	rt_random(&chance, sizeof chance);
	return LATER_LEAST_MS + chance % (LATER_MOST_MS - LATER_LEAST_MS + 1);
}

static const char *account_of(const struct eds_check *check)
{
	const char *account = check->config->account_id;

	return account != NULL ? account : "";
}

static void begin_or_park(struct eds_policy_fetches *fetches, struct eds_check *check)
{
	switch (eds_address_begin(fetches->addresses, &check->fetch, account_of(check))) {
	case EDS_ADDRESS_NOW:
		check->placed = true;
		eds_fetch_start(fetches->fetcher, &check->fetch);
		break;
	case EDS_ADDRESS_NEVER:
		postpone(fetches, check, some_time_later());
		break;
	case EDS_ADDRESS_LATER:
		if (rt_monotonic_ms() < check->parked_until_ms)
			add(&fetches->parked, check);
		else
			postpone(fetches, check, SOON_MS);
		break;
	}
}

/* True when a policy hosted here was never fetched. The first handshake for its name will then make
 * our policy host order a certificate. */
static bool is_cold(const struct eds_check *check)
{
	const struct eds_mta_sts *config = check->config;

	return config->enabled && config->hosted && config->fetched_at_ms == 0;
}

void eds_policy_fetch_add(struct eds_policy_fetches *fetches, struct eds_check *check, bool ours)
{
	check->parked_until_ms = rt_monotonic_ms() + EDS_ADDRESS_WAIT_MS;
	if (!ours) {
		begin_or_park(fetches, check);
	} else if (is_cold(check)) {
		check->warming = true;
		add(&fetches->cold, check);
	} else {
		eds_fetch_start(fetches->fetcher, &check->fetch);
	}
}

/* A fetch that ends may add a check to the queue, so the queue is emptied first. */
static void end_parked(struct eds_policy_fetches *fetches, const struct eds_check *told,
	const struct eds_fetched *fetched)
{
	struct queue queue = fetches->parked;
	struct eds_check *check;

	fetches->parked = (struct queue){.end = &fetches->parked.first};
	while ((check = take(&queue)) != NULL)
		if (eds_address_is_dead(fetched, &told->fetch, &check->fetch))
			check->fetch.done(check->fetch.arg, fetched);
		else
			add(&fetches->parked, check);
}

void eds_policy_fetch_end(struct eds_policy_fetches *fetches, struct eds_check *check,
	const struct eds_fetched *fetched)
{
	bool placed = check->placed;

	if (check->warming)
		fetches->warming = false;
	check->warming = false;
	check->placed = false;
	if (!placed)
		return;
	eds_address_end(fetches->addresses, &check->fetch, account_of(check));
	fetches->freed = true;
	end_parked(fetches, check, fetched);
}

static void warm_next(struct eds_policy_fetches *fetches)
{
	struct eds_check *check = fetches->warming ? NULL : take(&fetches->cold);

	if (check == NULL)
		return;
	fetches->warming = true;
	eds_fetch_start(fetches->fetcher, &check->fetch);
}

/* Fetches that must wait further are parked again in the same order, so that the first one in the
 * queue is always the first whose wait ends. */
static void look_at_parked(struct eds_policy_fetches *fetches)
{
	struct queue queue = fetches->parked;
	struct eds_check *check;

	if (queue.first == NULL ||
		(!fetches->freed && rt_monotonic_ms() < queue.first->parked_until_ms))
		return;
	fetches->freed = false;
	fetches->parked = (struct queue){.end = &fetches->parked.first};
	while ((check = take(&queue)) != NULL)
		begin_or_park(fetches, check);
}

int eds_policy_fetches_turn(struct eds_policy_fetches *fetches, int max_ms)
{
	warm_next(fetches);
	look_at_parked(fetches);
	return fetches->parked.first != NULL && max_ms > LOOK_EVERY_MS ? LOOK_EVERY_MS : max_ms;
}

void eds_policy_fetches_cancel(struct eds_policy_fetches *fetches)
{
	struct eds_check *check;

	while ((check = take(&fetches->parked)) != NULL)
		postpone(fetches, check, SOON_MS);
	fetches->warming = false;
	warm_next(fetches);
}
