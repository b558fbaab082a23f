/* What a function's answer says about the event it was sent. */
#ifndef RUNNER_DISPATCH_ANSWER_H
#define RUNNER_DISPATCH_ANSWER_H

#include "runtime/host/pool.h"

enum {
	DISPATCH_REASON_MAX = 512,
};

/* True when the event was dealt with; otherwise a sentence in reason. An answer with a top-level
 * errorType is a failure. */
bool dispatch_answer_is_good(enum pool_outcome outcome, const char *text, size_t length,
	char reason[DISPATCH_REASON_MAX]);

/* What mail-accept says about a recipient. */
enum accept_answer {
	ACCEPT_TAKEN,   /* function is filled */
	ACCEPT_REFUSED, /* text is mail-accept's reason, maybe "" */
	ACCEPT_FAILED,  /* it could not say; text says why */
};

struct accept_result {
	enum accept_answer answer;
	const struct manifest_function *function;
	char text[DISPATCH_REASON_MAX];
};

void dispatch_read_accept(const struct manifest *manifest, enum pool_outcome outcome,
	const char *text, size_t length, struct accept_result *result);

#endif
