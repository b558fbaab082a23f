/* What a child is told at once: the task, and every answer of this event's DNS that it may see. */
#ifndef EDS_SANDBOX_AHEAD_H
#define EDS_SANDBOX_AHEAD_H

#include "functions/lib/sandbox/protocol.h"

/* Answers of blocklists stay here: their zones may hold a customer's key, and what a child knows a
 * hostile message may learn and show in its result. */
void eds_put_ahead(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_verify_input *input,
	unsigned stages, struct rt_buffer *out);

#endif
