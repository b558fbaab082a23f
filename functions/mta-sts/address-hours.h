/* Counts the connections of checks to an address in the database, so that all processes share the
 * hour of an account (functions/lib/mta-sts/addresses.h). */
#ifndef MTA_STS_ADDRESS_HOURS_H
#define MTA_STS_ADDRESS_HOURS_H

#include "functions/lib/mta-sts/addresses.h"
#include "functions/lib/store/store.h"

/* In ctx's memory, for as long as the store. */
const struct eds_address_hours *mta_sts_address_hours(struct rt_ctx *ctx, struct eds_store *store);

#endif
