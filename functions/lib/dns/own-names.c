#include "functions/lib/dns/own-names.h"

#include "functions/lib/dns/name.h"
#include "runtime/config/config.h"

bool eds_dns_keeps_own_names(void)
{
	return eds_dns_name_is_public(rt_config()->report_domain);
}

/* Also clears the failure, its reason and the TTL, so that the answer does not show whether the
 * name exists or its server fails. */
void eds_dns_keep_own_name(struct eds_dns_answer *answer)
{
	if (answer->own_name == NULL)
		return;
	answer->canonical = answer->own_name;
	answer->state = EDS_DNS_NO_NAME;
	answer->failure = EDS_DNS_OTHER_FAILURE;
	answer->reason = "";
	answer->ttl_s = 0;
	answer->records = NULL;
	answer->count = 0;
}
