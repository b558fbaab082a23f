/* How often the MTA-STS setup of a domain is checked. The store only records these times. */
#ifndef EDS_MTA_STS_CADENCE_H
#define EDS_MTA_STS_CADENCE_H

#include "functions/lib/store/mta-sts/mta-sts.h"

enum {
	/* The next check is scheduled this much early: runs begin at the full minute, and checks
	 * end some seconds later. */
	EDS_MTA_STS_EARLY_MS = 15 * 1000,
};

/* When a domain checked at this time is due again: disabled, daily; in order (policy fetched and
 * TXT record in sync), hourly; else every minute for an hour after changed_at_ms, every 10 minutes
 * for a day, then hourly. */
int64_t eds_mta_sts_next_check_ms(
	bool enabled, bool in_order, int64_t changed_at_ms, int64_t checked_at_ms);

/* Sets next_at_ms and changed_at_ms of a claimed domain whose outcome is set. */
void eds_mta_sts_set_times(struct eds_mta_sts_due *due, int64_t now_ms);

#endif
