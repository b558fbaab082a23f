#include "functions/lib/store/accounts/plan-quota.h"

#include "runtime/config/config.h"

const struct rt_quota *eds_plan_quota(enum eds_plan plan)
{
	return &rt_config()->quota[plan == EDS_PLAN_PAID ? RT_QUOTA_PAID : RT_QUOTA_FREE];
}
