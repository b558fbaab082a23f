/* What a host counts, as Prometheus text (the runner shows it on its operations port).
 *
 *     static struct metric *accepted;
 *     accepted = metric_counter("eds_mail_accepted_total", "Messages taken.", "");
 *     metric_add(accepted, 1);
 *
 * One registry for the process, used from the event loop only. Asking again for the same name and
 * labels gives the same metric.
 */
#ifndef HOST_METRICS_H
#define HOST_METRICS_H

#include <stdint.h>

#include "runtime/host/bytes.h"

enum {
	METRICS_MAX = 1024, /* past it, what is new is counted together and not shown */
	METRICS_TEXT_MAX = 1024 * 1024,
};

struct metric;

/* labels: `function="mail-accept",status="200"`, or "". help: a literal. */
struct metric *metric_counter(const char *name, const char *help, const char *labels);
struct metric *metric_gauge(const char *name, const char *help, const char *labels);
/* Seconds in buckets from half a millisecond to thirty seconds. */
struct metric *metric_histogram(const char *name, const char *help, const char *labels);

void metric_add(struct metric *metric, uint64_t count);
void metric_set(struct metric *metric, uint64_t value);
void metric_observe(struct metric *metric, double seconds);

/* The text exposition format 0.0.4, families together. */
void metrics_write(struct bytes *out);

#endif
