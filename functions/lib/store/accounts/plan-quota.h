/* What a plan allows. This file is separate from account.h, so that only programs that use the
 * limits of plans need the settings EDS_QUOTA_FREE and EDS_QUOTA_PAID. */
#ifndef EDS_STORE_PLAN_QUOTA_H
#define EDS_STORE_PLAN_QUOTA_H

#include "functions/lib/store/accounts/account.h"

/* What accounts of the plan may have and do; 0: no limit. */
const struct rt_quota *eds_plan_quota(enum eds_plan plan);

#endif
