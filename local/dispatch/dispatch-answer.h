/* Reads the answer of a function to a mail event, and the answer of mail-accept about a recipient.
 */
#ifndef RUNNER_DISPATCH_ANSWER_H
#define RUNNER_DISPATCH_ANSWER_H

#include "local/smtp/smtp-session.h"
#include "runtime/host/pool/pool.h"

enum {
	DISPATCH_REASON_MAX = 512,
};

enum dispatch_verdict {
	DISPATCH_DEALT_WITH, /* the function processed the event */
	/* The function failed: a crash, a time-out, too many waiting events, an invalid answer, or
	 * an errorType that the next two verdicts do not name. */
	DISPATCH_FAILED,
	/* A dependency of the function does not work: the errorType is "temporary.…", or the
	 * function's program cannot be started. */
	DISPATCH_NOT_NOW,
	/* The function cannot decide about the event yet: the errorType is "later.…". */
	DISPATCH_PUT_OFF,
};

/* Judges an answer. If the function did not process the event, reason gets a sentence. */
enum dispatch_verdict dispatch_judge(enum pool_outcome outcome, const char *text, size_t length,
	char reason[DISPATCH_REASON_MAX]);

/* True when the function processed the event; otherwise reason gets a sentence. */
bool dispatch_answer_is_good(enum pool_outcome outcome, const char *text, size_t length,
	char reason[DISPATCH_REASON_MAX]);

/* The answer of mail-accept about a recipient. */
enum accept_answer {
	ACCEPT_TAKEN,   /* the recipient is accepted; function is set */
	ACCEPT_REFUSED, /* the recipient is refused; text is mail-accept's reason, or "" */
	ACCEPT_FAILED,  /* mail-accept could not decide; text says why */
};

struct accept_result {
	enum accept_answer answer;
	const struct manifest_function *function;
	char text[DISPATCH_REASON_MAX];
	/* limits for an accepted recipient; 0 for all that mail-accept did not tell */
	struct smtp_bounds bounds;
	bool tells_stored; /* the answer had the member "stored"; its values are in bounds.stored */
};

/* Reads the member "stored" of mail-accept's answer: the stored octets at each level. Octets that
 * are missing count as 0. False when the member itself is missing or no object. */
bool dispatch_read_stored(const char *text, size_t length, uint64_t stored[HELD_LEVELS]);

void dispatch_read_accept(const struct manifest *manifest, enum pool_outcome outcome,
	const char *text, size_t length, struct accept_result *result);

#endif
