#include "functions/posture/outcome.h"
#include "functions/lib/posture/names.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include "functions/lib/mta-sts/evidence.h"
#include "functions/lib/posture/stored.h"
#include "functions/lib/report-address.h"
#include "functions/posture/news.h"
#include "runtime/config/config.h"

enum {
	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	WELL_MS = 6 * HOUR_MS,
	WRONG_MS = HOUR_MS,
	UNANSWERED_MS = 5 * MINUTE_MS,
};
_Static_assert((int)EDS_POSTURE_SUBJECTS <= (int)EDS_POSTURE_CHANGES_MAX, "changes of one look");

/* The mail servers that MTA-STS checks saw; all zero when nothing is known about them. Stored
 * evidence that cannot be read may be from a later version, and is ignored. */
static const struct eds_mta_sts_seen *servers_of(
	struct rt_ctx *ctx, const struct eds_posture_due *due)
{
	struct eds_mta_sts_seen *seen = rt_alloc(ctx, sizeof *seen);
	RT_JSON_MEMORY(ctx);

	if (eds_mta_sts_evidence_read(ctx, due->evidence, seen) != RT_OK) {
		rt_fail_clear(ctx);
		*seen = (struct eds_mta_sts_seen){0};
	}
	return seen;
}

static struct eds_posture_memory memory_of(const struct eds_posture_kept *kept)
{
	return (struct eds_posture_memory){.checked_at_ms = kept->checked_at_ms,
		.changed_at_ms = kept->changed_at_ms,
		.state = kept->state,
		.items = kept->items,
		.records = kept->records};
}

static bool searches(struct rt_ctx *ctx, const struct eds_posture_due *due)
{
	struct eds_posture_memory before = memory_of(&due->before);
	RT_JSON_MEMORY(ctx);

	return eds_posture_searches(ctx, &before);
}

struct eds_posture_question posture_question(struct rt_ctx *ctx, const struct eds_posture_due *due,
	const struct eds_address_hours *hours)
{
	return (struct eds_posture_question){
		.domain = due->name,
		.report_address = eds_report_address(ctx, due->domain_id),
		.report_url = eds_report_url(ctx, due->domain_id),
		.authority = rt_config()->policy_authority,
		.account = due->account_id,
		.hours = hours,
		.hosted = due->hosted,
		.validates = true,
		.finds_selectors = searches(ctx, due),
		.servers = servers_of(ctx, due),
	};
}

static struct eds_posture_side side_of(const struct eds_posture_facet *facet)
{
	return (struct eds_posture_side){
		.state = facet->state, .record = facet->record, .findings = facet->codes};
}

static void take_changes(struct rt_ctx *ctx, struct eds_posture_due *due,
	const struct eds_posture_update *update, int64_t now_ms)
{
	due->change_count = update->difference_count;
	for (size_t i = 0; i < update->difference_count; i++) {
		const struct eds_posture_difference *difference = &update->differences[i];

		due->changes[i] = (struct eds_posture_change){
			.id = rt_uuid(ctx),
			.at_ms = now_ms,
			.item = eds_posture_subject_name(difference->subject),
			.old = side_of(&difference->old),
			.now = side_of(&difference->now),
		};
	}
}

static void take_selectors(
	struct rt_ctx *ctx, struct eds_posture_due *due, const struct eds_posture *look)
{
	const char **names = rt_alloc_array(ctx, EDS_POSTURE_SELECTORS_MAX, sizeof *names);

	for (size_t i = 0; i < look->selector_count; i++)
		names[i] = look->selectors[i];
	due->selectors = names;
	due->selector_count = look->selector_count;
}

static int64_t pause_ms(const struct eds_posture_update *update)
{
	int64_t full_ms = WELL_MS;
	uint32_t chance;

	if (update->kept || update->selectors_open)
		return UNANSWERED_MS;
	if (eds_posture_state_rank(update->after.state) != EDS_POSTURE_OK)
		full_ms = WRONG_MS;
	if (!update->postponed)
		return full_ms;
	rt_random(&chance, sizeof chance);
	return full_ms - chance % (full_ms / 4);
}

bool posture_settle(struct rt_ctx *ctx, struct eds_posture_due *due, const struct eds_posture *look)
{
	struct eds_posture_update *update = rt_alloc(ctx, sizeof *update);
	struct eds_posture_memory before = memory_of(&due->before);
	int64_t now_ms = rt_wall_ms();
	RT_JSON_MEMORY(ctx);

	eds_posture_remember(ctx, &before, look, now_ms, update);
	take_changes(ctx, due, update, now_ms);
	due->news = posture_news(ctx, due, look);
	take_selectors(ctx, due, look);
	due->outcome = update->same ? EDS_POSTURE_SAME : EDS_POSTURE_SEEN;
	due->next_at_ms = now_ms + pause_ms(update) - POSTURE_EARLY_MS;
	due->after = (struct eds_posture_kept){
		.state = update->after.state,
		.checked_at_ms = update->after.checked_at_ms,
		.changed_at_ms = update->after.changed_at_ms,
		.items = update->after.items,
		.records = update->after.records,
	};
	return !update->unanswered;
}
