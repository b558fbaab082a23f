/* What an account may do in an hour, by its plan (EDS_QUOTA_FREE, EDS_QUOTA_PAID): counted from the
 * first use on, and from naught again when the hour is over.
 */
#ifndef EDS_STORE_ACCOUNT_USE_H
#define EDS_STORE_ACCOUNT_USE_H

#include "functions/lib/store/accounts/account.h"

enum {
	EDS_USE_HOUR_MS = 3600 * 1000,
	EDS_USE_ALERTS = 60, /* of an hour */
};

enum eds_use {
	EDS_USE_CHECK,       /* asking strangers' servers at once, on request */
	EDS_USE_CERTIFICATE, /* of the policy host */
	EDS_USE_CALLBACK,    /* a test whose result is sent to a receiver */
	EDS_USE_ALERT,       /* a delivery to an alert; whatever the plan is */
};

/* Counts one use by this account of this plan. RT_LIMIT "too-many-checks",
 * "too-many-certificates", "too-many-callbacks" or "too-many-alerts" (retry_after_s set) when the
 * hour's are used up. */
RT_MUST_USE rt_status eds_store_use(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, enum eds_plan plan, enum eds_use use);

#endif
