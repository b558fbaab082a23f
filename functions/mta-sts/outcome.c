#include "functions/mta-sts/outcome.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include "functions/lib/mta-sts/cadence.h"
#include "functions/lib/mta-sts/evidence.h"
#include "functions/mta-sts/news.h"

static const struct eds_mta_sts_seen *read_before(
	struct rt_ctx *ctx, const struct eds_mta_sts_due *due)
{
	struct eds_mta_sts_seen *before;

	if (due->config.observed.checked_at_ms == 0)
		return NULL;
	before = rt_alloc(ctx, sizeof *before);
	if (eds_mta_sts_evidence_read(ctx, due->config.observed.evidence, before) == RT_OK)
		return before;
	/* evidence that a later version wrote may be unreadable: check everything anew */
	rt_fail_clear(ctx);
	return NULL;
}

void mta_sts_prepare(struct rt_ctx *ctx, const struct eds_mta_sts_due *due, struct eds_check *check)
{
	RT_JSON_MEMORY(ctx);

	*check = (struct eds_check){
		.ctx = ctx, .config = &due->config, .before = read_before(ctx, due)};
}

static bool keeps(const struct eds_mta_sts_due *due, const struct eds_check *check)
{
	int64_t checked_at_ms = due->config.observed.checked_at_ms;

	return check->seen.temporary && checked_at_ms != 0 &&
		rt_wall_ms() - checked_at_ms < MTA_STS_KEPT_MS;
}

void mta_sts_settle(struct eds_mta_sts_due *due, const struct eds_check *check, bool cut_short)
{
	const struct eds_mta_sts_seen *seen = &check->seen;
	struct rt_ctx *ctx = check->ctx;
	RT_JSON_MEMORY(ctx);

	if (keeps(due, check) || seen->postponed_ms > 0 || (cut_short && seen->temporary)) {
		due->outcome = EDS_MTA_STS_KEPT;
		eds_mta_sts_set_times(due, rt_wall_ms());
		if (seen->postponed_ms > 0)
			due->next_at_ms = rt_wall_ms() + seen->postponed_ms;
		return;
	}
	due->outcome = EDS_MTA_STS_CHECKED;
	due->seen = (struct eds_mta_sts_observed){
		.checked_at_ms = rt_wall_ms(),
		.dns_id = seen->dns_id,
		.policy_fetched = seen->policy_fetched,
		.policy_mode = eds_policy_mode_name(seen->mode),
		.valid = seen->errors.count == 0,
		.errors = rt_json_format(ctx, eds_findings_json(ctx, &seen->errors), NULL),
		.evidence = eds_mta_sts_evidence_format(ctx, seen),
	};
	eds_mta_sts_set_times(due, due->seen.checked_at_ms);
	due->news = mta_sts_news(ctx, due, check->before, seen);
}
