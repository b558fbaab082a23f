/* Reads a job's answer for the host: whether the run succeeded, and the numbers that become
 * metrics.
 *
 *     {"checked": 1200, "failed": 5}
 *     eds_schedule_answer{function="dkim-recheck",number="checked"} 1200
 *     eds_schedule_last_success_timestamp_seconds{function="dkim-recheck"} 1764000000
 */
#ifndef HOST_JOB_ANSWER_H
#define HOST_JOB_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/host/manifest.h"

enum {
	JOB_NUMBERS_MAX = 16, /* maximum number of numbers shown for a job */
};

struct metric;

/* The metrics for the numbers in the latest answer of one function. */
struct job_numbers {
	struct metric *shown[JOB_NUMBERS_MAX];
	size_t count;
};

/* True if neither the event nor a message in it failed. text: the answer. */
bool job_is_done(const char *text, size_t length);

/* Sets the metric of the time at which a run of the function last succeeded. When the host starts,
 * it calls job_succeeded_at() for each function with a schedule, with the time of that start. */
void job_succeeded_at(const struct manifest_function *function, int64_t epoch_ms);

/* For a run that has just succeeded: sets the time of the last success, and shows the whole numbers
 * in the answer that are not negative, at most JOB_NUMBERS_MAX. A number that an earlier answer had
 * and this one lacks becomes 0. Does nothing for a function without a schedule. */
void job_succeeded(struct job_numbers *numbers, const struct manifest_function *function,
	const char *text, size_t length);

#endif
