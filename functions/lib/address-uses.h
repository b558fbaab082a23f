/* Counts in the database how often an account makes this service use an address within an hour, so
 * that the limit holds for all processes together (address-hour.h). */
#ifndef EDS_ADDRESS_USES_H
#define EDS_ADDRESS_USES_H

#include "functions/lib/address-hour.h"
#include "functions/lib/store/store.h"

/* The count is in ctx's memory; it must not be used after the store is closed. */
const struct eds_address_hours *eds_address_uses(struct rt_ctx *ctx, struct eds_store *store);

#endif
