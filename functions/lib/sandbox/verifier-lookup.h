/* Answers the DNS questions of the child: from the answers that the parent has sent with the task,
 * or by asking the parent. */
#ifndef EDS_VERIFIER_LOOKUP_H
#define EDS_VERIFIER_LOOKUP_H

#include "functions/lib/sandbox/verifier.h"

struct eds_verifier_lookup *eds_verifier_lookup_new(
	struct rt_ctx *ctx, struct eds_frame_reader *reader);

/* Reads the answers that the parent has sent with the task; their number is `answers`. False when
 * the parent is gone or uses another protocol. */
RT_MUST_USE bool eds_verifier_lookup_ahead(struct eds_verifier_lookup *lookup, uint32_t answers);
struct eds_lookup eds_verifier_lookup_view(struct eds_verifier_lookup *lookup);

#endif
