/* Ends the hosting of MTA-STS policies when the account's plan no longer includes hosting. */
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

/* First gives each row with EDS_HOSTING_UNTOLD an end of hosting, EDS_HOSTING_GOES_ON_MS from now.
 * Then lists at most EDS_HOSTING_ENDS_BATCH domains whose end of hosting has passed and that can
 * take their next step now. For an enabled policy in mode enforce, the next step is the change to
 * mode testing, which is possible at once. For any other policy, it is the end of hosting, which is
 * possible when enforce_held_until_ms and none_until_ms have passed (mta-sts.h). */
RT_MUST_USE rt_status eds_store_mta_sts_ending(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_domain domains[EDS_HOSTING_ENDS_BATCH], size_t *count);

#endif
