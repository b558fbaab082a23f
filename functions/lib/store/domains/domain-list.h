/* The domains of an account, listed.
 *
 * A page goes through the account's own domains alone, and reads the posture of those that it
 * shows. Its place is a name, or a time with an id: neither changes while a domain lives, so no
 * page skips or repeats a domain that is there all the while.
 */
#ifndef EDS_STORE_DOMAIN_LIST_H
#define EDS_STORE_DOMAIN_LIST_H

#include "functions/lib/store/domains/domain.h"

/* A domain that was not looked at yet has the state "unknown". */
RT_MUST_USE rt_status eds_store_domain_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const struct eds_domain_query *wanted,
	struct eds_domain **domains, size_t *count);

#endif
