#include "functions/mta-sts/ending.h"
#include "functions/lib/mta-sts/change.h"
#include "functions/lib/store/mta-sts/mta-sts-ending.h"
#include "runtime/time.h"

#include "functions/mta-sts/change-news.h"

/* Takes the next step of ending the hosting. Checks the conditions again first: another process or
 * the owner may have changed the row meanwhile. */
static rt_status next_step(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	const struct eds_mta_sts before = *config;
	int64_t now_ms = rt_wall_ms();

	(void)arg;
	if (config->plan == EDS_PLAN_PAID || config->hosting_ends_at_ms <= EDS_HOSTING_UNTOLD ||
		config->hosting_ends_at_ms > now_ms)
		return RT_OK;
	if (config->enabled && config->mode == EDS_POLICY_ENFORCE)
		config->mode = EDS_POLICY_TESTING;
	else if (config->enforce_held_until_ms <= now_ms && config->none_until_ms <= now_ms)
		config->hosted = false;
	else
		return RT_OK;
	config->news = mta_sts_ending_news(ctx, &before, config);
	return RT_OK;
}

rt_status mta_sts_end_hosting(struct rt_ctx *ctx, struct eds_store *store)
{
	struct eds_domain domains[EDS_HOSTING_ENDS_BATCH];
	size_t count;

	RT_TRY(eds_store_mta_sts_ending(ctx, store, domains, &count));
	for (size_t i = 0; i < count; i++) {
		struct eds_mta_sts after;
		rt_status status = eds_mta_sts_update(
			ctx, store, &domains[i], next_step, NULL, &after);

		if (status == RT_NOT_FOUND)
			rt_fail_clear(ctx); /* the domain was deleted meanwhile */
		else
			RT_TRY(status);
	}
	return RT_OK;
}
