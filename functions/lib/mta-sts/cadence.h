/* How often the MTA-STS setup of a domain is checked. The store only records the times set here. */
#ifndef EDS_MTA_STS_CADENCE_H
#define EDS_MTA_STS_CADENCE_H

#include "functions/lib/store/mta-sts/mta-sts.h"

enum {
	/* Runs of the job begin when a minute begins, and checks end some seconds after that. A
	 * check that is due one whole interval after the last would just miss a run, so it is due
	 * this much earlier. */
	EDS_MTA_STS_EARLY_MS = 15 * 1000,
};

/* The time at which a domain that was checked at checked_at_ms is due again. A domain without
 * MTA-STS is checked daily, one whose setup is in order (policy fetched, and its id in the TXT
 * record) hourly. Any other domain is checked every minute in the first hour after changed_at_ms,
 * then every 10 minutes until a day has passed, then hourly. */
int64_t eds_mta_sts_next_check_ms(
	bool enabled, bool in_order, int64_t changed_at_ms, int64_t checked_at_ms);

/* Sets next_at_ms and changed_at_ms of a domain that this run has claimed; `outcome` must already
 * be set. */
void eds_mta_sts_set_times(struct eds_mta_sts_due *due, int64_t now_ms);

#endif
