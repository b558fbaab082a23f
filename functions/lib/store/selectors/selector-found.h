/* Adds selectors that a posture check found under the selector names of the domain's mail
 * providers, or that signed a test message of the account, within the transaction that writes the
 * check or the message. Only the files of the store include this header. */
#ifndef EDS_STORE_SELECTOR_FOUND_H
#define EDS_STORE_SELECTOR_FOUND_H

#include "functions/lib/store/selectors/selector.h"
#include "functions/lib/store/transaction.h"

/* Adds the selectors that the domain does not have yet as discovered selectors, until the domain
 * has EDS_DISCOVERED_DOMAIN_MAX of them. Their first check is due at once. */
RT_MUST_USE rt_status eds_store_selectors_found(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *const *names, size_t count);

#endif
