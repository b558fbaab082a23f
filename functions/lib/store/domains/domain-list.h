/* Lists the domains of an account.
 *
 * A page reads only the account's own domains, and the posture of those that it shows; a query for
 * one posture state also reads the posture of others. The position of a page is a name, or a time
 * with an id. Neither changes while a domain exists, so paging neither skips nor repeats a domain
 * that exists throughout.
 */
#ifndef EDS_STORE_DOMAIN_LIST_H
#define EDS_STORE_DOMAIN_LIST_H

#include "functions/lib/store/domains/domain.h"

/* Lists the domains that `wanted` selects. A domain that was never checked is selected by the
 * posture state "unknown". */
RT_MUST_USE rt_status eds_store_domain_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const struct eds_domain_query *wanted,
	struct eds_domain **domains, size_t *count);

#endif
