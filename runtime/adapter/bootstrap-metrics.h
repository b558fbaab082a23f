/* The numbers in a job's answer, and what any function counts beside its answers
 * (runtime/counts.h), as metrics of CloudWatch: one log line in the embedded metric format
 * (CloudWatch's "Specification: Embedded metric format"), of which the platform makes them.
 *
 * Namespace "eds", dimension FunctionName; a number whose name ends with Seconds is one of seconds,
 * one that ends with Milliseconds of those, any other a count.
 */
#ifndef BOOTSTRAP_METRICS_H
#define BOOTSTRAP_METRICS_H

#include <jansson.h>
#include <stdint.h>

/* The line without its end, to be freed; NULL when the answer has no numbers. name: the function as
 * the platform calls it. */
char *bootstrap_metrics_line(const char *name, const json_t *answer, int64_t now_ms);

#endif
