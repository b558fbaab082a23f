/* What a job's answer tells a host: whether the run succeeded, and numbers that are shown as
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
	JOB_NUMBERS_MAX = 16, /* numbers shown per job */
};

struct metric;

/* The numbers of the latest answer of one function. */
struct job_numbers {
	struct metric *shown[JOB_NUMBERS_MAX];
	size_t count;
};

/* True if neither the event nor a message in it failed. */
bool job_is_done(const char *text, size_t length);

/* Sets when a run of the function last succeeded; at the start, when that was. */
void job_succeeded_at(const struct manifest_function *function, int64_t epoch_ms);

/* Shows the numbers of the answer of a run that succeeded now; a number that is missing in it
 * becomes 0. Does nothing for a function without a schedule. */
void job_succeeded(struct job_numbers *numbers, const struct manifest_function *function,
	const char *text, size_t length);

#endif
