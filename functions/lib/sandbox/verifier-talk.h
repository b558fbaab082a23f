/* One message with one child of the verifier: what it is told and asked, until it has ended. */
#ifndef EDS_SANDBOX_VERIFIER_TALK_H
#define EDS_SANDBOX_VERIFIER_TALK_H

#include "functions/lib/sandbox/conversation.h"
#include "functions/lib/sandbox/protocol.h"

enum {
	/* All that a child can make us read is this many questions and a frame for each stage.
	 * SPF twice (ten terms with ten names each), and keys; past EDS_DNS_QUERIES_MAX different
	 * ones the answer is a temporary failure anyway. */
	EDS_CHILD_QUESTIONS_MAX = 2 * EDS_DNS_QUERIES_MAX,
};

struct eds_verifier_talk {
	unsigned stages;   /* asked for, of enum eds_verify_stage */
	unsigned finished; /* whose results are in the output */
	enum eds_child_end end;
	int wait_status; /* of EDS_CHILD_DIED */
};

/* Always ends with the child gone. A result in the output counts only if its stage is finished. */
void eds_verifier_converse(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, struct eds_verifier_talk *talk,
	struct eds_verify_output *output);

#endif
