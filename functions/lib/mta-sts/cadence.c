#include "functions/lib/mta-sts/cadence.h"

#include <string.h>

enum {
	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	DAY_MS = 24 * HOUR_MS,
	/* while a setup is not in order: every minute for an hour, then every 10 minutes until a
	 * day has passed */
	CLOSE_MS = MINUTE_MS,
	CLOSE_FOR_MS = HOUR_MS,
	NEAR_MS = 10 * MINUTE_MS,
	NEAR_FOR_MS = DAY_MS,
};

int64_t eds_mta_sts_next_check_ms(
	bool enabled, bool in_order, int64_t changed_at_ms, int64_t checked_at_ms)
{
	int64_t age_ms = checked_at_ms - changed_at_ms;
	int64_t pause_ms = HOUR_MS;

	if (!enabled)
		pause_ms = DAY_MS;
	else if (!in_order && age_ms < CLOSE_FOR_MS)
		pause_ms = CLOSE_MS;
	else if (!in_order && age_ms < NEAR_FOR_MS)
		pause_ms = NEAR_MS;
	return checked_at_ms + pause_ms - EDS_MTA_STS_EARLY_MS;
}

static bool in_order(const struct eds_mta_sts *config, const struct eds_mta_sts_observed *seen)
{
	return seen->policy_fetched && seen->dns_id != NULL &&
		strcmp(seen->dns_id, config->policy_id) == 0;
}

void eds_mta_sts_set_times(struct eds_mta_sts_due *due, int64_t now_ms)
{
	const struct eds_mta_sts *config = &due->config;
	bool well = in_order(config, &due->seen);

	due->changed_at_ms = config->changed_at_ms;
	if (due->outcome != EDS_MTA_STS_CHECKED) {
		due->next_at_ms = now_ms + (config->enabled ? CLOSE_MS : HOUR_MS) -
			EDS_MTA_STS_EARLY_MS;
		return;
	}
	if (!well && in_order(config, &config->observed))
		due->changed_at_ms = due->seen.checked_at_ms;
	due->next_at_ms = eds_mta_sts_next_check_ms(
		config->enabled, well, due->changed_at_ms, due->seen.checked_at_ms);
}
