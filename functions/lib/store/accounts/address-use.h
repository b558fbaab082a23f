/* Counts, over all processes, how often checks for the domains of an account use one address within
 * an hour (functions/lib/address-hour.h). The hour begins with the first use; the first use after
 * its end begins the next hour, with the count at zero. */
#ifndef EDS_STORE_ADDRESS_USE_H
#define EDS_STORE_ADDRESS_USE_H

#include "functions/lib/store/store.h"

/* Adds count uses to the count for what ("policy 192.0.2.1"). *taken is false, and nothing
 * is added, when the sum would be more than max in the hour. */
RT_MUST_USE rt_status eds_store_address_use(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, const char *what, int count, int max, bool *taken);

#endif
