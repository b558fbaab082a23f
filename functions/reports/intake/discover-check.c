#include "functions/reports/intake/discover-check.h"
#include "functions/lib/dns/bulk.h"
#include "functions/lib/selector/outcome.h"
#include "functions/lib/store/reports/report-named.h"
#include "functions/reports/intake/discover.h"
#include "runtime/time.h"

/* The DNS lookups of the new selectors of one delivery. */
struct lookup {
	struct rt_ctx *ctx;
	struct eds_named_selector **wanted;
	size_t count;
	struct eds_dkim_check *checks;
	size_t *probed; /* indexes of found selectors whose answer may come from a wildcard */
	size_t probe_count;
	int64_t end_ms;
};

static const char *name_of(void *arg, size_t i)
{
	struct lookup *lookup = arg;
	const struct eds_named_selector *named = lookup->wanted[i];

	return eds_dkim_selector_name(lookup->ctx, named->selector, named->domain->name);
}

static void take_answer(
	void *arg, size_t i, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct lookup *lookup = arg;

	(void)ctx;
	eds_dkim_check_read(lookup->ctx, answer, &lookup->checks[i]);
	if (lookup->checks[i].found)
		lookup->probed[lookup->probe_count++] = i;
}

static const char *sibling_of(void *arg, size_t i)
{
	struct lookup *lookup = arg;

	return eds_dkim_sibling_name(lookup->ctx, lookup->wanted[lookup->probed[i]]->domain->name);
}

static void take_sibling(
	void *arg, size_t i, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct lookup *lookup = arg;
	struct eds_dkim_check *check = &lookup->checks[lookup->probed[i]];

	(void)ctx;
	if (answer->state != EDS_DNS_TEMPORARY)
		eds_dkim_check_sibling(lookup->ctx, answer, check);
}

static int wait_ms(const struct lookup *lookup)
{
	int64_t left_ms = lookup->end_ms - rt_monotonic_ms();

	return left_ms > 0 ? (int)left_ms : 0;
}

static rt_status ask(struct lookup *lookup)
{
	struct eds_dns_bulk names = {.type = EDS_DNS_TXT,
		.count = lookup->count,
		.name = name_of,
		.done = take_answer,
		.arg = lookup,
		.wait_ms = wait_ms(lookup)};
	struct eds_dns_bulk siblings = names;

	RT_TRY(eds_dns_bulk(lookup->ctx, &names));
	siblings.count = lookup->probe_count;
	siblings.name = sibling_of;
	siblings.done = take_sibling;
	siblings.wait_ms = wait_ms(lookup);
	return eds_dns_bulk(lookup->ctx, &siblings);
}

static void settle(struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->count; i++) {
		const struct eds_dkim_check *check = &lookup->checks[i];

		lookup->wanted[i]->check = eds_outcome_row(lookup->ctx, check);
		lookup->wanted[i]->next_at_ms = eds_dkim_next_check_ms(check, check->checked_at_ms);
	}
}

static void want_new(struct lookup *lookup, struct eds_report_item *item, size_t most)
{
	for (size_t i = 0; i < item->named_count && lookup->count < most; i++)
		if (item->named[i].outcome == EDS_NAMED_NEW)
			lookup->wanted[lookup->count++] = &item->named[i];
}

rt_status report_check_new(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_report_item *items, size_t count, size_t *lookups)
{
	int quarter_ms = rt_remaining_ms(ctx) / 4;
	struct lookup lookup = {.ctx = ctx};

	lookup.wanted = rt_alloc_array(ctx, *lookups, sizeof(struct eds_named_selector *));
	for (size_t i = 0; i < count; i++) {
		RT_TRY(eds_store_report_plan(ctx, store, items[i].named, items[i].named_count));
		want_new(&lookup, &items[i], *lookups);
	}
	if (lookup.count == 0)
		return RT_OK;
	*lookups -= lookup.count;
	lookup.checks = rt_alloc_array(ctx, lookup.count, sizeof *lookup.checks);
	lookup.probed = rt_alloc_array(ctx, lookup.count, sizeof *lookup.probed);
	lookup.end_ms = rt_monotonic_ms() +
		(quarter_ms < REPORT_DNS_WAIT_MS ? quarter_ms : REPORT_DNS_WAIT_MS);
	RT_TRY(ask(&lookup));
	settle(&lookup);
	return RT_OK;
}
