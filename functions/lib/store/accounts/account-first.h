/* The account that an empty database begins with. */
#ifndef EDS_STORE_ACCOUNT_FIRST_H
#define EDS_STORE_ACCOUNT_FIRST_H

#include "functions/lib/store/accounts/account.h"

/* The very first account, with a token of the same name: *made is false, and nothing has changed,
 * when there are accounts already. */
RT_MUST_USE rt_status eds_store_account_create_first(struct rt_ctx *ctx, struct eds_store *store,
	const char *name, enum eds_plan plan, const char *token_digest, bool *made);

#endif
