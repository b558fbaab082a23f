/* A function run once, as under a shell: the event on its standard input, one line of answer. */
#ifndef RUNNER_SINGLE_RUN_H
#define RUNNER_SINGLE_RUN_H

#include "runtime/host/bytes.h"
#include "runtime/host/manifest.h"
#include "runtime/host/pool/pool.h"

enum {
	SINGLE_RUN_ANSWER_MAX = 16 * 1024 * 1024,
	SINGLE_RUN_TIMED_OUT = 124, /* as timeout(1) says it */
	SINGLE_RUN_NOT_STARTED = 127,
	SINGLE_RUN_SIGNAL = 128, /* and the number of the signal, as shells do */
};

/* Waits until it ends, at most for its time-out and a moment. Adds what it wrote to answer and
 * gives its exit status, or one of the above. */
int single_run(const struct manifest_function *function, const char *event, size_t length,
	struct bytes *answer);

/* The same; how it went in the pools' terms. */
enum pool_outcome single_run_outcome(const struct manifest_function *function, const char *event,
	size_t length, struct bytes *answer);

#endif
