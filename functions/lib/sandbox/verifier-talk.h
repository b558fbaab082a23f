/* The conversation with one child of the verifier about one message, until the child has ended. */
#ifndef EDS_SANDBOX_VERIFIER_TALK_H
#define EDS_SANDBOX_VERIFIER_TALK_H

#include "functions/lib/sandbox/conversation.h"
#include "functions/lib/sandbox/protocol.h"

enum {
	/* A child may send at most this many questions, and one frame for each stage. This number
	 * is enough for two SPF checks (ten terms with ten names each) and for the keys of
	 * signatures. After EDS_DNS_QUERIES_MAX different questions each answer is a temporary
	 * failure anyway. */
	EDS_CHILD_QUESTIONS_MAX = 2 * EDS_DNS_QUERIES_MAX,
};

struct eds_verifier_talk {
	unsigned stages;   /* the requested stages, a set of enum eds_verify_stage */
	unsigned finished; /* stages whose results are in the output */
	enum eds_child_end end;
	int wait_status; /* status of the child from waitpid(), for EDS_CHILD_DIED */
};

/* Returns after the child has ended. A result in the output counts only if its stage is
 * finished. */
void eds_verifier_converse(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, struct eds_verifier_talk *talk,
	struct eds_verify_output *output);

#endif
