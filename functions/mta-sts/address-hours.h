/* Counts in the database the connections that an account causes to an address within an hour, so
 * that the limit holds for all processes together (functions/lib/mta-sts/addresses.h). */
#ifndef MTA_STS_ADDRESS_HOURS_H
#define MTA_STS_ADDRESS_HOURS_H

#include "functions/lib/mta-sts/addresses.h"
#include "functions/lib/store/store.h"

/* The count is in ctx's memory; it must not be used after the store is closed. */
const struct eds_address_hours *mta_sts_address_hours(struct rt_ctx *ctx, struct eds_store *store);

#endif
