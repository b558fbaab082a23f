/* Ends the hosting of MTA-STS policies when the account's plan no longer includes hosting. Only the
 * files of this folder include this header. */
#ifndef EDS_STORE_MTA_STS_ENDING_H
#define EDS_STORE_MTA_STS_ENDING_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/mta-sts/mta-sts.h"
#include "functions/lib/store/transaction.h"

/* Sets the time at which the account's hosting ends, when its new plan does not include hosting;
 * removes this time when the plan includes hosting. To be called within the transaction that
 * changes the plan. */
RT_MUST_USE rt_status eds_store_mta_sts_plan_changed(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_account *account);

/* Lists some domains whose hosting should have ended and for which the next step of ending it is
 * possible. For a policy in mode enforce, the first step changes the mode to testing. The last step
 * ends hosting; it is possible when no sender can still hold an earlier policy. Before this
 * function lists domains, it sets the end of hosting in rows with EDS_HOSTING_UNTOLD. */
RT_MUST_USE rt_status eds_store_mta_sts_ending(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_domain domains[EDS_HOSTING_ENDS_BATCH], size_t *count);

#endif
