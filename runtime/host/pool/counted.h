/* Reads the counts that functions report beside their answers (runtime/counts.h), for their
 * supervisor. */
#ifndef HOST_COUNTED_H
#define HOST_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/counts.h"

/* Reads the next count of "dnsAsked=3,dnsTimeout=1" and moves *at past it; skips names that this
 * release does not know. False at the end. */
bool counted_next(const char **at, enum rt_count *count, uint64_t *number);

/* Adds the counts to the metrics: eds_dns_questions_total{function},
 * eds_dns_failures_total{function,kind}. */
void counted_add(const char *function, const char *counts);

#endif
