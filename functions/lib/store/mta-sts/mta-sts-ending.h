/* Hosting that a plan includes no more, or again. Only the files of this folder include it. */
#ifndef EDS_STORE_MTA_STS_ENDING_H
#define EDS_STORE_MTA_STS_ENDING_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/transaction.h"

/* Within the transaction that gives the account this plan: what it hosts goes on for a while, or
 * for good. */
RT_MUST_USE rt_status eds_store_mta_sts_plan_changed(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_account *account);

#endif
