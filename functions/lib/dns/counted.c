#include "functions/lib/dns/counted.h"

#include <string.h>

#include "runtime/counts.h"

static const struct {
	const char *reason;
	enum rt_count kind;
} kinds[] = {
	{"no answer", RT_COUNT_DNS_TIMEOUT},
	{"connection refused", RT_COUNT_DNS_UNREACHABLE},
	{"REFUSED", RT_COUNT_DNS_REFUSED},
	{"SERVFAIL", RT_COUNT_DNS_SERVFAIL},
	{"malformed answer", RT_COUNT_DNS_MALFORMED},
	{"truncated answer", RT_COUNT_DNS_MALFORMED},
	{"answer to another question", RT_COUNT_DNS_MALFORMED},
	{"CNAME chain too long", RT_COUNT_DNS_MALFORMED},
};

static enum rt_count kind_of(const struct eds_dns_answer *answer)
{
	if (answer->bogus)
		return RT_COUNT_DNS_BOGUS;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(answer->reason, kinds[i].reason) == 0)
			return kinds[i].kind;
	return RT_COUNT_DNS_OTHER;
}

void eds_dns_count(const struct eds_dns_answer *answer)
{
	rt_count(RT_COUNT_DNS_ASKED);
	if (answer->state == EDS_DNS_TEMPORARY)
		rt_count(kind_of(answer));
}
