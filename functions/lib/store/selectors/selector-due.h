/* DKIM selectors that are due for a check: claims them with a lease and writes the outcomes. */
#ifndef EDS_STORE_SELECTOR_DUE_H
#define EDS_STORE_SELECTOR_DUE_H

#include "functions/lib/store/selectors/selector.h"

/* Claims this selector, due or not. If another process is checking the selector at that moment,
 * that process can no longer write its outcome. */
RT_MUST_USE rt_status eds_store_selector_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector_due *due);

/* In one transaction, writes the outcomes of the selectors `done`, and claims at most `max`
 * selectors. The claimed selectors are in ctx's memory. *written: how many outcomes were written
 * within their lease. */
RT_MUST_USE rt_status eds_store_selectors_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_selector_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_selector_due **claimed, size_t *claimed_count);

#endif
