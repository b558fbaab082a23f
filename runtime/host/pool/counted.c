#include "runtime/host/pool/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host/metrics.h"

enum {
	LABELS_MAX = 128,
};

#define DNS_FAILED "eds_dns_failures_total", "Questions to DNS without an answer.", "kind"
#define REFUSED "eds_list_refusals_total", "Questions that a blocklist refused to answer.", "list"
#define AT_LEVEL                                                                                   \
	"eds_sandbox_children_total",                                                              \
		"Child processes of the sandbox, by their level of confinement.", "level"
#define ENDED                                                                                      \
	"eds_sandbox_deaths_total",                                                                \
		"Child processes of the sandbox that ended without finishing their task.", "cause"

enum group { OF_DNS, OF_DATABASE, OF_LISTS, OF_CHILDREN, OF_SESSIONS, OF_RESULTS };

static const struct {
	enum group group;
	const char *metric, *help;
	const char *label, *value; /* label in addition to `function`; NULL: none */
} shown[RT_COUNTS] = {
	[RT_COUNT_DNS_ASKED] = {OF_DNS, "eds_dns_questions_total", "Questions sent to DNS servers.",
		NULL, NULL},
	[RT_COUNT_DNS_TIMEOUT] = {OF_DNS, DNS_FAILED, "timeout"},
	[RT_COUNT_DNS_UNREACHABLE] = {OF_DNS, DNS_FAILED, "unreachable"},
	[RT_COUNT_DNS_REFUSED] = {OF_DNS, DNS_FAILED, "refused"},
	[RT_COUNT_DNS_SERVFAIL] = {OF_DNS, DNS_FAILED, "servfail"},
	[RT_COUNT_DNS_BOGUS] = {OF_DNS, DNS_FAILED, "bogus"},
	[RT_COUNT_DNS_MALFORMED] = {OF_DNS, DNS_FAILED, "malformed"},
	[RT_COUNT_DNS_OTHER] = {OF_DNS, DNS_FAILED, "other"},
	[RT_COUNT_DATABASE_ERRORS] = {OF_DATABASE, "eds_database_errors_total",
		"Database statements and connections that failed, also those whose repetition "
		"succeeded.",
		NULL, NULL},
	[RT_COUNT_DATABASE_RETRIES] = {OF_DATABASE, "eds_database_retries_total",
		"Database transactions that were repeated because of a conflict or a lock.", NULL,
		NULL},
	[RT_COUNT_LIST_REFUSED] = {OF_LISTS, REFUSED, "combined"},
	[RT_COUNT_LIST_REFUSED + 1] = {OF_LISTS, REFUSED, "relay"},
	[RT_COUNT_LIST_REFUSED + 2] = {OF_LISTS, REFUSED, "reputation"},
	[RT_COUNT_LIST_REFUSED_LAST] = {OF_LISTS, REFUSED, "reported"},
	[RT_COUNT_CHILD_AT_NONE] = {OF_CHILDREN, AT_LEVEL, "off"},
	[RT_COUNT_CHILD_AT_LIMITS] = {OF_CHILDREN, AT_LEVEL, "limits"},
	[RT_COUNT_CHILD_AT_FILTER] = {OF_CHILDREN, AT_LEVEL, "filter"},
	[RT_COUNT_CHILD_DIED] = {OF_CHILDREN, ENDED, "died"},
	[RT_COUNT_CHILD_HUNG] = {OF_CHILDREN, ENDED, "hung"},
	[RT_COUNT_CHILD_FLOODED] = {OF_CHILDREN, ENDED, "flooded"},
	[RT_COUNT_CHILD_LIED] = {OF_CHILDREN, ENDED, "lied"},
	[RT_COUNT_CHILD_VIOLATED] = {OF_CHILDREN, ENDED, "violated"},
	[RT_COUNT_CHILD_UNCONFINED] = {OF_CHILDREN, ENDED, "unconfined"},
	[RT_COUNT_CHILD_NO_HELPER] = {OF_CHILDREN, ENDED, "no-helper"},
	[RT_COUNT_CHILD_DEADLINE] = {OF_CHILDREN, ENDED, "deadline"},
	[RT_COUNT_SESSIONS_CREATED] = {OF_SESSIONS, "eds_sessions_created_total",
		"Test addresses that were made.", NULL, NULL},
	[RT_COUNT_SESSIONS_COMPLETED] = {OF_RESULTS, "eds_sessions_completed_total",
		"Results that were stored for test addresses.", NULL, NULL},
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

	if (shown[count].label == NULL)
		snprintf(labels, sizeof labels, "function=\"%s\"", function);
	else
		snprintf(labels, sizeof labels, "function=\"%s\",%s=\"%s\"", function,
			shown[count].label, shown[count].value);
	return metric_counter(shown[count].metric, shown[count].help, labels);
}

/* Creates all counters of the group when the function sends its first count of the group. A counter
 * that first appears with its first failure would not show that failure as an increase. */
static void add_group(const char *function, enum group group)
{
	for (enum rt_count count = 0; count < RT_COUNTS; count++)
		if (shown[count].group == group)
			metric_add(metric_of(function, count), 0);
}

void counted_add(const char *function, const char *counts)
{
	enum rt_count count;
	uint64_t number;

	while (counted_next(&counts, &count, &number)) {
		add_group(function, shown[count].group);
		metric_add(metric_of(function, count), number);
	}
}
