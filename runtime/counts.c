#include "runtime/counts.h"

#include <inttypes.h>
#include <string.h>

static uint64_t counts[RT_COUNTS];

static const char *const names[RT_COUNTS] = {
	[RT_COUNT_DNS_ASKED] = "dnsAsked",
	[RT_COUNT_DNS_TIMEOUT] = "dnsTimeout",
	[RT_COUNT_DNS_UNREACHABLE] = "dnsUnreachable",
	[RT_COUNT_DNS_REFUSED] = "dnsRefused",
	[RT_COUNT_DNS_SERVFAIL] = "dnsServfail",
	[RT_COUNT_DNS_BOGUS] = "dnsBogus",
	[RT_COUNT_DNS_MALFORMED] = "dnsMalformed",
	[RT_COUNT_DNS_OTHER] = "dnsOther",
};

void rt_count(enum rt_count count)
{
	counts[count]++;
}

const char *rt_count_name(enum rt_count count)
{
	return names[count];
}

void rt_counts_take(struct rt_buffer *line)
{
	char before = ' ';

	for (enum rt_count i = 0; i < RT_COUNTS; i++) {
		if (counts[i] == 0)
			continue;
		rt_buffer_format(line, "%c%s=%" PRIu64, before, names[i], counts[i]);
		before = ',';
	}
	memset(counts, 0, sizeof counts);
}
