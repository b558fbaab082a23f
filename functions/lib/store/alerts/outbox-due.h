/* Rows of the outbox that are due: claimed with a lease, and what came of them written. */
#ifndef EDS_STORE_OUTBOX_DUE_H
#define EDS_STORE_OUTBOX_DUE_H

#include "functions/lib/store/alerts/outbox.h"

/* Writes the outcomes of done, each where the lease is still its own, and claims at most max (0:
 * none) of those that are due, by turns of the accounts, in one transaction. */
RT_MUST_USE rt_status eds_store_outbox_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_outbox_due *done, size_t done_count, size_t max,
	struct eds_outbox_due **claimed, size_t *claimed_count);

#endif
