/* posture-check: every minute
 *
 * out   {"checked": 1200, "changed": 3, "failed": 5}: the numbers of domains that were checked, of
 *       checked domains with an item that changed, and of checked domains for which DNS did not
 *       answer about an item that counts for their state
 *
 * Claims due domains in groups and checks many of them at once in one loop; the code calls the
 * check of one domain a look. A group is claimed whenever there is room, so that a domain whose
 * name servers hang does not hold up the others. Outcomes are written together, with the next claim
 * or after half a second. Any number of runs may overlap: rows that a killed or late run leaves
 * unwritten are due again when their lease is over.
 */
#include "functions/lib/address-uses.h"
#include "functions/lib/claimed.h"
#include "functions/lib/posture/looks.h"
#include "functions/lib/store/posture/posture-due.h"
#include "functions/posture/outcome.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

enum {
	GROUP = 16,
	/* Maximum number of looks at the same time. A look begins with about thirty DNS questions;
	 * the buffers of the sockets have room for the questions of this many looks. */
	UNDER_WAY_MAX = 32,
	WRITE_MAX = 32, /* outcomes are written as soon as this many wait */
	WRITE_EVERY_MS = 500,
	/* A look can take this long; when less time is left, nothing is claimed. */
	CLAIM_MS = 12 * 1000,
	/* Time reserved for writing the outcomes. */
	WRITE_MS = 3 * 1000,
};

/* The data of a claimed domain, kept until the domain's outcome is written. */
struct place {
	struct eds_claimed claimed;
	struct run *run;
	struct eds_posture_due due;
	struct eds_one_look look;
};

struct run {
	struct rt_ctx *ctx;
	/* memory of the latest claim, from which each place copies its domain */
	struct rt_ctx turn;
	struct eds_store *store;
	const struct eds_address_hours *hours;
	struct eds_looks *looks;
	struct eds_claimed_pool places;
	struct place *owners[UNDER_WAY_MAX + WRITE_MAX]; /* owners[i]: the place of done[i] */
	struct eds_posture_due done[UNDER_WAY_MAX + WRITE_MAX];
	size_t done_count;
	int64_t written_ms;
	bool exhausted; /* no further domain is due */
	size_t checked;
	size_t changed;
	size_t failed;
};

static void take_look(struct eds_one_look *look, const struct eds_posture *posture)
{
	struct place *place = look->arg;
	struct run *run = place->run;

	run->failed += !posture_settle(&place->claimed.ctx, &place->due, posture);
	run->checked++;
	run->changed += place->due.change_count > 0;
	run->owners[run->done_count] = place;
	run->done[run->done_count++] = place->due;
}

static struct eds_posture_kept copied(struct rt_ctx *ctx, const struct eds_posture_kept *kept)
{
	struct eds_posture_kept copy = *kept;

	copy.state = rt_strdup(ctx, kept->state);
	copy.items = rt_strdup(ctx, kept->items);
	copy.records = rt_strdup(ctx, kept->records);
	return copy;
}

static rt_status start(struct run *run, const struct eds_posture_due *due)
{
	struct place *place = eds_claimed_take(&run->places);
	struct rt_ctx *ctx = &place->claimed.ctx;

	place->run = run;
	place->claimed.unwritten = 1;
	ctx->deadline_ms = run->ctx->deadline_ms - WRITE_MS;
	place->due = *due;
	place->due.domain_id = rt_strdup(ctx, due->domain_id);
	place->due.account_id = rt_strdup(ctx, due->account_id);
	place->due.name = rt_strdup(ctx, due->name);
	place->due.evidence = rt_strdup(ctx, due->evidence);
	place->due.before = copied(ctx, &due->before);
	place->look = (struct eds_one_look){.ctx = ctx,
		.question = posture_question(ctx, &place->due, run->hours),
		.done = take_look,
		.arg = place};
	return rt_ctx_join(run->ctx, ctx, eds_looks_start(run->looks, &place->look));
}

/* Writes the outcomes in done[] to the database and claims up to max domains, in one transaction.
 */
static rt_status turn(struct run *run, size_t max)
{
	struct eds_posture_due *claimed;
	size_t written;
	size_t count;

	rt_arena_reset(run->turn.arena);
	RT_TRY(rt_ctx_join(run->ctx, &run->turn,
		eds_store_posture_turn(&run->turn, run->store, run->done, run->done_count, &written,
			max, &claimed, &count)));
	for (size_t i = 0; i < run->done_count; i++)
		eds_claimed_written(&run->owners[i]->claimed);
	run->done_count = 0;
	run->written_ms = rt_monotonic_ms();
	if (max > 0)
		run->exhausted = count < max;
	for (size_t i = 0; i < count; i++)
		RT_TRY(start(run, &claimed[i]));
	return RT_OK;
}

static bool has_room(const struct run *run)
{
	return !run->exhausted && eds_looks_count(run->looks) + GROUP <= UNDER_WAY_MAX &&
		rt_remaining_ms(run->ctx) > CLAIM_MS;
}

static bool is_time_to_write(const struct run *run)
{
	return run->done_count >= WRITE_MAX ||
		(run->done_count > 0 && rt_monotonic_ms() - run->written_ms >= WRITE_EVERY_MS);
}

static rt_status look_at_all(struct run *run)
{
	int left_ms;

	RT_TRY(turn(run, GROUP));
	while ((eds_looks_count(run->looks) > 0 || has_room(run)) &&
		(left_ms = rt_remaining_ms(run->ctx) - WRITE_MS) > 0) {
		if (has_room(run))
			RT_TRY(turn(run, GROUP));
		else if (is_time_to_write(run))
			RT_TRY(turn(run, 0));
		eds_looks_turn(run->looks, left_ms < WRITE_EVERY_MS ? left_ms : WRITE_EVERY_MS);
	}
	eds_looks_cancel(run->looks);
	return turn(run, 0);
}

static rt_status check_due(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct run *run = rt_alloc(ctx, sizeof *run);
	rt_status status;

	(void)event;
	run->ctx = ctx;
	RT_TRY(eds_store_open(ctx, &run->store));
	run->hours = eds_address_uses(ctx, run->store);
	run->turn = rt_ctx_apart(ctx);
	run->places = (struct eds_claimed_pool){.ctx = ctx, .bytes = sizeof(struct place)};
	run->looks = eds_looks_new(ctx);
	status = look_at_all(run);
	if (status != RT_OK)
		/* ends the unfinished looks before the places are freed, because each look is in a
		 * place */
		eds_looks_cancel(run->looks);
	RT_TRY(status);
	*answer = json_object();
	rt_json_set(*answer, "checked", json_integer((json_int_t)run->checked));
	rt_json_set(*answer, "changed", json_integer((json_int_t)run->changed));
	rt_json_set(*answer, "failed", json_integer((json_int_t)run->failed));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, check_due);
}
