#include "runtime/host/pool/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host/metrics.h"

enum {
	LABELS_MAX = 128,
};

static const char *const dns_kinds[RT_COUNTS] = {
	[RT_COUNT_DNS_TIMEOUT] = "timeout",
	[RT_COUNT_DNS_UNREACHABLE] = "unreachable",
	[RT_COUNT_DNS_REFUSED] = "refused",
	[RT_COUNT_DNS_SERVFAIL] = "servfail",
	[RT_COUNT_DNS_BOGUS] = "bogus",
	[RT_COUNT_DNS_MALFORMED] = "malformed",
	[RT_COUNT_DNS_OTHER] = "other",
};

/* The count with this name; RT_COUNTS for an unknown name. */
static enum rt_count count_named(const char *name, size_t length)
{
	enum rt_count count = 0;

	while (count < RT_COUNTS &&
		(strlen(rt_count_name(count)) != length ||
			memcmp(rt_count_name(count), name, length) != 0))
		count++;
	return count;
}

bool counted_next(const char **at, enum rt_count *count, uint64_t *number)
{
	while (**at != '\0') {
		size_t length = strcspn(*at, ",");
		size_t name = strcspn(*at, "=,");

		*count = count_named(*at, name);
		*number = name < length ? strtoull(*at + name + 1, NULL, 10) : 0;
		*at += length + ((*at)[length] == ',');
		if (*count < RT_COUNTS)
			return true;
	}
	return false;
}

static struct metric *metric_of(const char *function, enum rt_count count)
{
	char labels[LABELS_MAX];

	if (count == RT_COUNT_DNS_ASKED) {
		snprintf(labels, sizeof labels, "function=\"%s\"", function);
		return metric_counter(
			"eds_dns_questions_total", "Questions that were asked of DNS.", labels);
	}
	snprintf(labels, sizeof labels, "function=\"%s\",kind=\"%s\"", function, dns_kinds[count]);
	return metric_counter(
		"eds_dns_failures_total", "Questions to DNS without an answer.", labels);
}

/* Creates the counters of all kinds with a function's first DNS query: a counter that first appears
 * with its first failure would not show that failure as an increase. */
void counted_add(const char *function, const char *counts)
{
	enum rt_count count;
	uint64_t number;

	for (count = 0; count < RT_COUNTS; count++)
		metric_add(metric_of(function, count), 0);
	while (counted_next(&counts, &count, &number))
		metric_add(metric_of(function, count), number);
}
