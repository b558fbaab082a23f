/* Reads DKIM selectors: a single one, and pages of an ordered list, filtered by a search text and a
 * state. A page contains only selectors of one domain.
 */
#ifndef EDS_STORE_SELECTOR_LIST_H
#define EDS_STORE_SELECTOR_LIST_H

#include "functions/lib/store/selectors/selector.h"

RT_MUST_USE rt_status eds_store_selector_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_selector_query *wanted,
	struct eds_selector **selectors, size_t *count);

/* Reads one selector. RT_NOT_FOUND "selector-not-found" when the domain does not have the selector;
 * the functions that claim or delete a selector or read its history fail in the same way. */
RT_MUST_USE rt_status eds_store_selector_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector *selector);

#endif
