#include "runtime/counts.h"

#include <inttypes.h>
#include <string.h>

static uint64_t counts[RT_COUNTS];
static bool counted; /* at least one count is not 0 */

static const char *const names[RT_COUNTS] = {
	[RT_COUNT_DNS_ASKED] = "dnsAsked",
	[RT_COUNT_DNS_TIMEOUT] = "dnsTimeout",
	[RT_COUNT_DNS_UNREACHABLE] = "dnsUnreachable",
	[RT_COUNT_DNS_REFUSED] = "dnsRefused",
	[RT_COUNT_DNS_SERVFAIL] = "dnsServfail",
	[RT_COUNT_DNS_BOGUS] = "dnsBogus",
	[RT_COUNT_DNS_MALFORMED] = "dnsMalformed",
	[RT_COUNT_DNS_OTHER] = "dnsOther",
	[RT_COUNT_DATABASE_ERRORS] = "databaseErrors",
	[RT_COUNT_DATABASE_RETRIES] = "databaseRetries",
	[RT_COUNT_LIST_REFUSED] = "listCombinedRefused",
	[RT_COUNT_LIST_REFUSED + 1] = "listRelayRefused",
	[RT_COUNT_LIST_REFUSED + 2] = "listReputationRefused",
	[RT_COUNT_LIST_REFUSED_LAST] = "listReportedRefused",
	[RT_COUNT_CHILD_AT_NONE] = "childAtNone",
	[RT_COUNT_CHILD_AT_LIMITS] = "childAtLimits",
	[RT_COUNT_CHILD_AT_FILTER] = "childAtFilter",
	[RT_COUNT_CHILD_DIED] = "childDied",
	[RT_COUNT_CHILD_HUNG] = "childHung",
	[RT_COUNT_CHILD_FLOODED] = "childFlooded",
	[RT_COUNT_CHILD_LIED] = "childLied",
	[RT_COUNT_CHILD_VIOLATED] = "childViolated",
	[RT_COUNT_CHILD_UNCONFINED] = "childUnconfined",
	[RT_COUNT_CHILD_NO_HELPER] = "childNoHelper",
	[RT_COUNT_CHILD_DEADLINE] = "childDeadline",
	[RT_COUNT_SESSIONS_CREATED] = "sessionsCreated",
	[RT_COUNT_SESSIONS_COMPLETED] = "sessionsCompleted",
};

void rt_count(enum rt_count count)
{
	counts[count]++;
	counted = true;
}

const char *rt_count_name(enum rt_count count)
{
	return names[count];
}

void rt_counts_take(struct rt_buffer *line)
{
	char before = ' ';

	if (!counted)
		return;
	counted = false;
	for (enum rt_count i = 0; i < RT_COUNTS; i++) {
		if (counts[i] == 0)
			continue;
		rt_buffer_format(line, "%c%s=%" PRIu64, before, names[i], counts[i]);
		before = ',';
	}
	memset(counts, 0, sizeof counts);
}
