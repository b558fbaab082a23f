/* Creates the first account of an empty database. */
#ifndef EDS_STORE_ACCOUNT_FIRST_H
#define EDS_STORE_ACCOUNT_FIRST_H

#include "functions/lib/store/accounts/account.h"

/* Creates the first account and a token of the same name. When any account exists, *made is false
 * and nothing changes. */
RT_MUST_USE rt_status eds_store_account_create_first(struct rt_ctx *ctx, struct eds_store *store,
	const char *name, enum eds_plan plan, const char *token_digest, bool *made);

#endif
