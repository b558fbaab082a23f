/* Changes the plan of an account and, with it, the hosting of its domains' policies. */
#ifndef EDS_STORE_ACCOUNT_PLAN_H
#define EDS_STORE_ACCOUNT_PLAN_H

#include "functions/lib/store/accounts/account.h"

/* Changes the plan. When the new plan does not include hosted MTA-STS, hosting continues for 30
 * days. RT_NOT_FOUND "account-not-found". */
RT_MUST_USE rt_status eds_store_account_set_plan(struct rt_ctx *ctx, struct eds_store *store,
	const char *name, enum eds_plan plan, struct eds_account *account);

#endif
