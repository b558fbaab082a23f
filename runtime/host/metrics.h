/* The metrics of a host, as Prometheus text. The runner serves it on its operations port, bootstrap
 * on EDS_METRICS_LISTEN.
 *
 *     static struct metric *accepted;
 *     accepted = metric_counter("eds_mail_accepted_total", "Messages taken.", "");
 *     metric_add(accepted, 1);
 *
 * The process has one registry, which only the event loop uses. A second call with the same name
 * and labels returns the same metric.
 */
#ifndef HOST_METRICS_H
#define HOST_METRICS_H

#include <stdint.h>

#include "runtime/buffer.h"

enum {
	/* maximum number of metrics; further ones share a metric that is not shown. There are about
	 * sixty functions. Each has 6 metrics of its handlers and up to 20 counters by status; most
	 * also have two groups of counters from counted.c. */
	METRICS_MAX = 4096,
	METRICS_TEXT_MAX = 1024 * 1024,
};

struct metric;

/* Give the metric with this name and these labels, and make it at the first call. labels:
 * `function="mail-accept",status="200"`, or "". help: a literal. */
struct metric *metric_counter(const char *name, const char *help, const char *labels);
struct metric *metric_gauge(const char *name, const char *help, const char *labels);
/* A histogram of seconds, with buckets from half a millisecond to thirty seconds. */
struct metric *metric_histogram(const char *name, const char *help, const char *labels);

void metric_add(struct metric *metric, uint64_t count);
void metric_set(struct metric *metric, uint64_t value);
void metric_observe(struct metric *metric, double seconds);

/* Shows the release: eds_build_info{version}, always 1. */
void metrics_show_release(void);

/* Writes the text exposition format 0.0.4, grouped by family. */
void metrics_write(struct rt_buffer *out);

#endif
