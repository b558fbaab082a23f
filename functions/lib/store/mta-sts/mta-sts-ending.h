/* Ends hosting when the plan no longer includes it. Only the files of this folder include it. */
#ifndef EDS_STORE_MTA_STS_ENDING_H
#define EDS_STORE_MTA_STS_ENDING_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/mta-sts/mta-sts.h"
#include "functions/lib/store/transaction.h"

/* Limits the account's hosting in time, or removes the limit, as its new plan requires. To be
 * called within the transaction that changes the plan. */
RT_MUST_USE rt_status eds_store_mta_sts_plan_changed(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_account *account);

/* Lists some domains whose hosting should have ended and for which the next step is possible:
 * leaving the mode enforce, or, when no sender can still hold an earlier policy, the end of
 * hosting. First sets the end of hosting of rows that are EDS_HOSTING_UNTOLD. */
RT_MUST_USE rt_status eds_store_mta_sts_ending(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_domain domains[EDS_HOSTING_ENDS_BATCH], size_t *count);

#endif
