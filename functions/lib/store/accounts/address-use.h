/* Counts, over all processes, how often checks for the domains of an account use one IP address
 * within an hour (functions/lib/address-hour.h). The hour begins with the first use; the first use
 * after its end begins the next hour, with the count at zero. */
#ifndef EDS_STORE_ADDRESS_USE_H
#define EDS_STORE_ADDRESS_USE_H

#include "functions/lib/store/store.h"

/* Adds `count` uses to the counter with the name `what` ("policy 192.0.2.1"). When the sum in the
 * hour would be more than `max`, *taken is false and nothing is added. */
RT_MUST_USE rt_status eds_store_address_use(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, const char *what, int count, int max, bool *taken);

#endif
