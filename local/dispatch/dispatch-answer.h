/* What a function's answer says about the event it was sent. */
#ifndef RUNNER_DISPATCH_ANSWER_H
#define RUNNER_DISPATCH_ANSWER_H

#include "local/smtp/smtp-session.h"
#include "runtime/host/pool/pool.h"

enum {
	DISPATCH_REASON_MAX = 512,
};

enum dispatch_verdict {
	DISPATCH_DEALT_WITH,
	DISPATCH_FAILED,  /* the function failed: a crash, a time-out, an errorType, garbage */
	DISPATCH_NOT_NOW, /* what the function needs is away: the errorType is "temporary.…" */
};

/* What became of the event; unless it was dealt with, a sentence in reason. */
enum dispatch_verdict dispatch_judge(enum pool_outcome outcome, const char *text, size_t length,
	char reason[DISPATCH_REASON_MAX]);

/* True when the event was dealt with. */
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
	struct smtp_bounds bounds; /* of a recipient that is taken */
	bool tells_stored;         /* bounds.stored is of the answer */
};

/* Of "stored" in an answer of mail-accept; false when there is none. */
bool dispatch_read_stored(const char *text, size_t length, uint64_t stored[HELD_LEVELS]);

void dispatch_read_accept(const struct manifest *manifest, enum pool_outcome outcome,
	const char *text, size_t length, struct accept_result *result);

#endif
