/* dkim-recheck: every minute
 *
 * out   {"checked": 1200, "changed": 3, "failed": 5}: the numbers of selectors for which DNS
 *       answered, of selectors whose result changed, and of selectors for which DNS failed; a
 *       selector for which DNS failed is tried again in a minute
 *
 * Removes changes older than 90 days from the histories. Claims due selectors in batches and asks
 * DNS for a whole batch at once; one transaction writes the outcomes of a batch and claims the
 * next. Any number of runs may overlap: rows that a killed or late run leaves unwritten are due
 * again when their lease is over. Stops in good time before its deadline; the next run continues.
 */
#include <string.h>

#include "functions/lib/dns/bulk.h"
#include "functions/lib/selector/outcome.h"
#include "functions/lib/store/selectors/selector-due.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

enum {
	BATCH = 2000,
	/* Fractions of the event's time. When less than a fourth is left, no further batch is
	 * claimed. */
	CLAIM_PART = 4,
	/* An eighth is reserved for writing the outcomes; DNS gets the rest. */
	WRITE_PART = 8,
};

/* One batch of selectors, with separate memory that is reused. */
struct batch {
	struct rt_ctx ctx;
	struct eds_selector_due *items;
	size_t count;
	/* for each item: a result that differs from the stored one, or NULL */
	struct eds_dkim_check **checks;
	/* names that nobody publishes: only a wildcard record answers for them; the question for
	 * such a name is called a probe */
	const char **siblings;
	/* For each name in siblings, the index of the first item that needs the question for this
	 * name. The next items of the same domain may need it too. */
	size_t *probed;
	size_t probe_count;
	int write_ms; /* time reserved for writing the outcomes */
};

struct totals {
	size_t checked;
	size_t changed;
	size_t failed;
};

static const char *name_of(void *arg, size_t i)
{
	struct batch *batch = arg;
	const struct eds_selector_due *due = &batch->items[i];

	return eds_dkim_selector_name(&batch->ctx, due->name, due->domain);
}

/* Sets the outcome of an item at once when DNS failed or the answer is the same as before, as it is
 * for most items. A changed answer is stored in the batch until the probes show whether a wildcard
 * gave it. */
static void take_answer(
	void *arg, size_t i, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct batch *batch = arg;
	struct eds_selector_due *due = &batch->items[i];
	struct eds_dkim_check check;
	struct eds_key_record key;
	bool settled;

	eds_dkim_check_begin(ctx, answer, &key, &check);
	settled = check.state == EDS_SELECTOR_UNKNOWN || eds_outcome_is_same(due, &check);
	if (!settled || due->record_digest != due->digest)
		eds_dkim_check_complete(ctx, &key, &check);
	if (settled) {
		if (check.found)
			eds_dkim_check_probed(ctx, &check, due->wildcard, due->probed_at_ms);
		eds_outcome_settle(&batch->ctx, due, &check);
		return;
	}
	batch->checks[i] = eds_dkim_check_copy(&batch->ctx, &check);
}

static bool needs_probe(const struct batch *batch, size_t i)
{
	return batch->checks[i] != NULL && batch->checks[i]->found;
}

/* A wildcard answers for all names under _domainkey of the domain, so one probe serves all adjacent
 * items of a domain. */
static void plan_probes(struct batch *batch)
{
	const char *domain = "";

	for (size_t i = 0; i < batch->count; i++) {
		if (!needs_probe(batch, i) || strcmp(batch->items[i].domain, domain) == 0)
			continue;
		domain = batch->items[i].domain;
		batch->siblings[batch->probe_count] = eds_dkim_sibling_name(&batch->ctx, domain);
		batch->probed[batch->probe_count++] = i;
	}
}

static const char *sibling_of(void *arg, size_t i)
{
	return ((struct batch *)arg)->siblings[i];
}

static void take_probe(struct batch *batch, size_t i, const struct eds_dns_answer *answer)
{
	const struct eds_selector_due *due = &batch->items[i];
	struct eds_dkim_check *check = batch->checks[i];

	if (answer->state == EDS_DNS_TEMPORARY)
		eds_dkim_check_probed(&batch->ctx, check, due->wildcard, due->probed_at_ms);
	else
		eds_dkim_check_sibling(&batch->ctx, answer, check);
}

static void take_sibling(
	void *arg, size_t i, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct batch *batch = arg;
	size_t end = i + 1 < batch->probe_count ? batch->probed[i + 1] : batch->count;

	(void)ctx;
	for (size_t probed = batch->probed[i]; probed < end; probed++)
		if (needs_probe(batch, probed))
			take_probe(batch, probed, answer);
}

/* Time that DNS may take, ms. */
static int wait_ms(const struct batch *batch)
{
	return rt_remaining_ms(&batch->ctx) - batch->write_ms;
}

static rt_status ask(struct batch *batch)
{
	struct eds_dns_bulk names = {.type = EDS_DNS_TXT,
		.count = batch->count,
		.name = name_of,
		.done = take_answer,
		.arg = batch,
		.wait_ms = wait_ms(batch)};
	struct eds_dns_bulk siblings = names;

	RT_TRY(eds_dns_bulk(&batch->ctx, &names));
	plan_probes(batch);
	siblings.count = batch->probe_count;
	siblings.name = sibling_of;
	siblings.done = take_sibling;
	siblings.wait_ms = wait_ms(batch);
	return eds_dns_bulk(&batch->ctx, &siblings);
}

static void count_outcome(const struct eds_selector_due *due, struct totals *totals)
{
	if (due->outcome == EDS_DUE_KEPT)
		totals->failed++;
	else
		totals->checked++;
	if (due->outcome == EDS_DUE_CHANGED)
		totals->changed++;
}

static rt_status check_batch(struct batch *batch, struct totals *totals)
{
	RT_JSON_MEMORY(&batch->ctx);

	batch->checks = rt_alloc_array(&batch->ctx, batch->count, sizeof(struct eds_dkim_check *));
	batch->siblings = rt_alloc_array(&batch->ctx, batch->count, sizeof *batch->siblings);
	batch->probed = rt_alloc_array(&batch->ctx, batch->count, sizeof *batch->probed);
	batch->probe_count = 0;
	RT_TRY(ask(batch));
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->checks[i] != NULL)
			eds_outcome_settle(&batch->ctx, &batch->items[i], batch->checks[i]);
		count_outcome(&batch->items[i], totals);
	}
	return RT_OK;
}

/* Writes the outcomes of the batch `done` and claims up to max rows for the batch `next`, in one
 * transaction. */
static rt_status turn(
	struct eds_store *store, const struct batch *done, struct batch *next, size_t max)
{
	size_t written;

	rt_arena_reset(next->ctx.arena);
	return eds_store_selectors_turn(&next->ctx, store, done->items, done->count, &written, max,
		&next->items, &next->count);
}

static rt_status run(struct rt_ctx *ctx, struct eds_store *store, struct batch *batch,
	struct batch *other, struct totals *totals)
{
	int claim_ms = rt_remaining_ms(ctx) / CLAIM_PART;

	RT_TRY(turn(store, other, batch, BATCH));
	while (batch->count > 0) {
		struct batch *done = batch;

		RT_TRY(check_batch(batch, totals));
		batch = other;
		other = done;
		RT_TRY(turn(store, done, batch, rt_remaining_ms(ctx) > claim_ms ? BATCH : 0));
	}
	return RT_OK;
}

static struct batch *new_batch(struct rt_ctx *ctx)
{
	struct batch *batch = rt_alloc(ctx, sizeof *batch);

	batch->ctx = rt_ctx_apart(ctx);
	batch->write_ms = rt_remaining_ms(ctx) / WRITE_PART;
	return batch;
}

static rt_status recheck(struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct batch *one = new_batch(ctx);
	struct batch *two = new_batch(ctx);
	struct totals totals = {0};
	struct eds_store *store;
	int64_t pruned;
	rt_status status;

	(void)event;
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_selector_history_prune(ctx, store, &pruned));
	status = run(ctx, store, one, two, &totals);
	RT_TRY(rt_ctx_join(ctx, &one->ctx, one->ctx.failure.category));
	RT_TRY(rt_ctx_join(ctx, &two->ctx, two->ctx.failure.category));
	RT_TRY(status);
	*answer = json_object();
	rt_json_set(*answer, "checked", json_integer((json_int_t)totals.checked));
	rt_json_set(*answer, "changed", json_integer((json_int_t)totals.changed));
	rt_json_set(*answer, "failed", json_integer((json_int_t)totals.failed));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, recheck);
}
