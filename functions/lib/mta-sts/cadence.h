/* How often the MTA-STS setup of a domain is checked. The store only records the times set here. */
#ifndef EDS_MTA_STS_CADENCE_H
#define EDS_MTA_STS_CADENCE_H

#include "functions/lib/store/mta-sts/mta-sts.h"

enum {
	/* Runs begin at the full minute, and checks end some seconds later; so the next check is
	 * scheduled this much earlier. */
	EDS_MTA_STS_EARLY_MS = 15 * 1000,
};

/* When a domain checked at checked_at_ms is due again. Without MTA-STS enabled it is checked daily,
 * with a setup in order (policy fetched, and its id in the TXT record) hourly; otherwise every
 * minute for an hour after changed_at_ms, every 10 minutes for a day, then hourly. */
int64_t eds_mta_sts_next_check_ms(
	bool enabled, bool in_order, int64_t changed_at_ms, int64_t checked_at_ms);

/* Sets next_at_ms and changed_at_ms of a claimed domain whose outcome is set. */
void eds_mta_sts_set_times(struct eds_mta_sts_due *due, int64_t now_ms);

#endif
