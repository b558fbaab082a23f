/* Hosting that a plan includes no more, or again. Only the files of this folder include it. */
#ifndef EDS_STORE_MTA_STS_ENDING_H
#define EDS_STORE_MTA_STS_ENDING_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/mta-sts/mta-sts.h"
#include "functions/lib/store/transaction.h"

/* Within the transaction that gives the account this plan: what it hosts goes on for a while, or
 * for good. */
RT_MUST_USE rt_status eds_store_mta_sts_plan_changed(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_account *account);

/* Some of the domains whose hosting is past its end and that may take the next step out of it: to
 * leave enforce, or, when no sender holds such a policy any more, to be hosted no more. Begins the
 * time of those that are EDS_HOSTING_UNTOLD. */
RT_MUST_USE rt_status eds_store_mta_sts_ending(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_domain domains[EDS_HOSTING_ENDS_BATCH], size_t *count);

#endif
