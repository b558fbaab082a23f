#include "functions/lib/dns/counted.h"

#include "runtime/counts.h"

static enum rt_count kind_of(const struct eds_dns_answer *answer)
{
	static const enum rt_count kinds[] = {
		[EDS_DNS_OTHER_FAILURE] = RT_COUNT_DNS_OTHER,
		[EDS_DNS_TIMED_OUT] = RT_COUNT_DNS_TIMEOUT,
		[EDS_DNS_UNREACHABLE] = RT_COUNT_DNS_UNREACHABLE,
		[EDS_DNS_REFUSED] = RT_COUNT_DNS_REFUSED,
		[EDS_DNS_SERVFAIL] = RT_COUNT_DNS_SERVFAIL,
		[EDS_DNS_MALFORMED] = RT_COUNT_DNS_MALFORMED,
		[EDS_DNS_REFERRAL] = RT_COUNT_DNS_OTHER,
	};

	return answer->bogus ? RT_COUNT_DNS_BOGUS : kinds[answer->failure];
}

void eds_dns_count(const struct eds_dns_answer *answer)
{
	rt_count(RT_COUNT_DNS_ASKED);
	if (answer->state == EDS_DNS_TEMPORARY)
		rt_count(kind_of(answer));
}
