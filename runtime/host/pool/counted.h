/* For the supervisor: reads the counts that functions send with their answers (runtime/counts.h).
 */
#ifndef HOST_COUNTED_H
#define HOST_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/counts.h"

/* Reads the next count of "dnsAsked=3,dnsTimeout=1" and moves *at past it; skips names that this
 * release does not know. False at the end. */
bool counted_next(const char **at, enum rt_count *count, uint64_t *number);

/* Adds the counts, a text as in counted_next(), to these metrics:
 * eds_dns_questions_total{function}, eds_dns_failures_total{function,kind},
 * eds_database_errors_total{function}, eds_database_retries_total{function},
 * eds_list_refusals_total{function,list}, eds_sandbox_children_total{function,level},
 * eds_sandbox_deaths_total{function,cause}, eds_sessions_created_total{function},
 * eds_sessions_completed_total{function}. */
void counted_add(const char *function, const char *counts);

#endif
