/* DKIM selectors as they are read: one, and lists in an order, behind a place in it, of those that
 * a search and a state ask for. A page goes through the selectors of its domain alone.
 */
#ifndef EDS_STORE_SELECTOR_LIST_H
#define EDS_STORE_SELECTOR_LIST_H

#include "functions/lib/store/selectors/selector.h"

RT_MUST_USE rt_status eds_store_selector_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_selector_query *wanted,
	struct eds_selector **selectors, size_t *count);

/* RT_NOT_FOUND "selector-not-found", from the three below too. */
RT_MUST_USE rt_status eds_store_selector_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector *selector);

#endif
