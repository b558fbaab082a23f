/* How often checks for an account's domains connect to one address in an hour
 * (functions/lib/mta-sts/addresses.h), over all processes. The hour begins with the first use; the
 * first use after it begins the next hour at zero. */
#ifndef EDS_STORE_ADDRESS_USE_H
#define EDS_STORE_ADDRESS_USE_H

#include "functions/lib/store/store.h"

/* Counts so many connections to what ("policy 192.0.2.1"). *taken is false, and nothing is counted,
 * when that would be more than max in the hour. */
RT_MUST_USE rt_status eds_store_address_use(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, const char *what, int count, int max, bool *taken);

#endif
