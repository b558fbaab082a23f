/* Due rows of the outbox: claims them with a lease and writes their outcomes. */
#ifndef EDS_STORE_OUTBOX_DUE_H
#define EDS_STORE_OUTBOX_DUE_H

#include "functions/lib/store/alerts/outbox.h"

/* In one transaction, writes the outcomes of the rows `done`, each only while its lease still
 * holds, and claims at most `max` (0: none) due rows, with accounts taking turns. left_out: ids of
 * accounts whose rows are not claimed, "|ID|ID|", or "". */
RT_MUST_USE rt_status eds_store_outbox_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_outbox_due *done, size_t done_count, const char *left_out, size_t max,
	struct eds_outbox_due **claimed, size_t *claimed_count);

#endif
