/* Selectors that a look at a domain found under names of its providers, or that a test message of
 * its account is signed with, kept within the transaction that writes the look or the message. Only
 * the files of this folder include it. */
#ifndef EDS_STORE_SELECTOR_FOUND_H
#define EDS_STORE_SELECTOR_FOUND_H

#include "functions/lib/store/selectors/selector.h"
#include "functions/lib/store/transaction.h"

/* Those that are not known are discovered ones, due for their first check at once, as long as the
 * domain has fewer than EDS_DISCOVERED_DOMAIN_MAX. */
RT_MUST_USE rt_status eds_store_selectors_found(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *const *names, size_t count);

#endif
