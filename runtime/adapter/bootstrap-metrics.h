/* Writes the integers in a job's answer, and the counts of any function (runtime/counts.h), as
 * CloudWatch metrics: one log line in the embedded metric format (CloudWatch's "Specification:
 * Embedded metric format"), from which the platform creates the metrics.
 *
 * The namespace of the metrics is "eds", their only dimension is FunctionName. A number has the
 * unit seconds if its name ends with Seconds, milliseconds if it ends with Milliseconds; any other
 * is a count. The line also has the release as "version", which is not a dimension. */
#ifndef BOOTSTRAP_METRICS_H
#define BOOTSTRAP_METRICS_H

#include <jansson.h>
#include <stdint.h>

/* Makes the line, without its line end; the caller frees it. NULL when the answer has no integers.
 * name: the platform's name of the function. */
char *bootstrap_metrics_line(const char *name, const json_t *answer, int64_t now_ms);

#endif
