/* Runs a function once, as a shell would: the function reads the event from standard input and
 * prints its answer as one line. */
#ifndef RUNNER_SINGLE_RUN_H
#define RUNNER_SINGLE_RUN_H

#include "runtime/buffer.h"
#include "runtime/host/manifest.h"
#include "runtime/host/pool/pool.h"

enum {
	SINGLE_RUN_ANSWER_MAX = 16 * 1024 * 1024,
	/* exit status when the function ran out of time, as with timeout(1) */
	SINGLE_RUN_TIMED_OUT = 124,
	/* exit status when the function could not be started, as in shells */
	SINGLE_RUN_NOT_STARTED = 127,
	/* exit status when a signal ended the function, as in shells: this value plus the number of
	 * the signal */
	SINGLE_RUN_SIGNAL = 128,
};

/* Waits until the function ends, at most for its time-out plus a short margin. Appends its output
 * to answer and returns its exit status, or one of the values SINGLE_RUN_…. */
int single_run(const struct manifest_function *function, const char *event, size_t length,
	struct rt_buffer *answer);

/* Runs the function like single_run(), and returns the result as a pool_outcome. */
enum pool_outcome single_run_outcome(const struct manifest_function *function, const char *event,
	size_t length, struct rt_buffer *answer);

#endif
