/* One message with one child: what it is told and asked, until it has ended. */
#ifndef EDS_SANDBOX_CONVERSATION_H
#define EDS_SANDBOX_CONVERSATION_H

#include "functions/lib/sandbox/protocol.h"

enum {
	/* All that a child can make us read is this many questions and a frame for each stage.
	 * SPF twice (ten terms with ten names each), and keys; past EDS_DNS_QUERIES_MAX different
	 * ones the answer is a temporary failure anyway. */
	EDS_CHILD_QUESTIONS_MAX = 2 * EDS_DNS_QUERIES_MAX,
};

enum eds_child_end {
	EDS_CHILD_DONE,       /* all results are there */
	EDS_CHILD_DIED,       /* crashed, or ended too early */
	EDS_CHILD_HUNG,       /* silent for too long */
	EDS_CHILD_FLOODED,    /* asked too much */
	EDS_CHILD_LIED,       /* said what no honest child says */
	EDS_CHILD_VIOLATED,   /* killed by its filter */
	EDS_CHILD_UNCONFINED, /* could not install the filter, so did nothing */
	EDS_CHILD_NO_HELPER,  /* no helper, or it could not fork, or it died */
	EDS_CHILD_DEADLINE,   /* the event's time is over */
};

struct eds_child_run {
	unsigned stages;   /* asked for, of enum eds_verify_stage */
	unsigned finished; /* whose results are in the output */
	enum eds_child_end end;
	int wait_status; /* of EDS_CHILD_DIED */
};

/* Always ends with the child gone. A result in the output counts only if its stage is finished. */
void eds_child_converse(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, struct eds_child_run *run,
	struct eds_verify_output *output);

#endif
