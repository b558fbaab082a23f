#include "runtime/host/gateway/access.h"

#include <stdio.h>
#include <time.h>

#include "runtime/log.h"
#include "runtime/text/decimal.h"

enum {
	LABELS_MAX = 128,
	NUMBER_MAX = 32,
};

int64_t access_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static struct metric *counter(const struct access_stats *stats, int status)
{
	char labels[LABELS_MAX];

	snprintf(labels, sizeof labels, "function=\"%s\",status=\"%d\"", stats->function, status);
	return metric_counter(
		"eds_http_requests_total", "HTTP requests by function and status.", labels);
}

/* Finds or makes the counter of a status. A function uses few statuses, so a short list of counters
 * is enough. */
static struct metric *find_counter(struct access_stats *stats, int status)
{
	for (size_t i = 0; i < ACCESS_STATUSES_MAX; i++) {
		if (stats->statuses[i].status == status)
			return stats->statuses[i].count;
		if (stats->statuses[i].count != NULL)
			continue;
		stats->statuses[i].status = status;
		stats->statuses[i].count = counter(stats, status);
		return stats->statuses[i].count;
	}
	return counter(stats, status);
}

static struct metric *find_histogram(struct access_stats *stats)
{
	char labels[LABELS_MAX];

	if (stats->seconds == NULL) {
		snprintf(labels, sizeof labels, "function=\"%s\"", stats->function);
		stats->seconds = metric_histogram("eds_http_request_seconds",
			"Time from the arrival of a request's first byte to its answer.", labels);
	}
	return stats->seconds;
}

static void log_entry(const char *function, const struct access_entry *entry, int64_t us)
{
	char numbers[3][NUMBER_MAX] = {{0}};
	char *const status = rt_decimal(numbers[0] + NUMBER_MAX - 1, (uint64_t)entry->status, 1);
	char *const size = rt_decimal(numbers[1] + NUMBER_MAX - 1, entry->body_bytes, 1);
	char *const fraction = rt_decimal(numbers[2] + NUMBER_MAX - 1, (uint64_t)us % 1000, 3);
	char *const duration = rt_decimal(fraction - 1, (uint64_t)us / 1000, 1);
	const struct rt_log_field fields[] = {
		{.name = "method", .text = entry->method},
		{.name = "path", .text = entry->path},
		{.name = "status", .text = status, .bare = true},
		{.name = "durationMs", .text = duration, .bare = true},
		{.name = "bytes", .text = size, .bare = true},
		{.name = "client", .text = entry->client},
	};

	fraction[-1] = '.';
	rt_log_set_trace(entry->trace_id[0] != '\0' ? entry->trace_id : NULL);
	rt_log_fields(RT_LOG_INFO, function, entry->request_id, fields,
		sizeof fields / sizeof fields[0], "request answered");
	rt_log_set_trace(NULL);
}

void access_record(struct access_stats *stats, const struct access_entry *entry)
{
	int64_t us = access_now_us() - entry->started_us;

	metric_add(find_counter(stats, entry->status), 1);
	metric_observe(find_histogram(stats), (double)us / 1e6);
	log_entry(stats->function, entry, us);
}
