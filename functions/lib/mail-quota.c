#include "functions/lib/mail-quota.h"

#include "runtime/config/config.h"

static bool is_over(int64_t stored, size_t octets, int64_t quota)
{
	return quota > 0 && stored + (int64_t)octets > quota;
}

bool eds_mail_quota_has_room(const struct eds_stored_mail *stored, size_t octets)
{
	const struct rt_mail_quota *quota = &rt_config()->mail_quota;

	return !is_over(stored->own, octets, quota->network) &&
		!is_over(stored->site, octets, EDS_SITE_SHARES * quota->network) &&
		!is_over(stored->all, octets, quota->all);
}
