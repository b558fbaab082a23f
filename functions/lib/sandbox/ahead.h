/* The data that a child gets at its start: the task, and every DNS answer of this event that it may
 * see. */
#ifndef EDS_SANDBOX_AHEAD_H
#define EDS_SANDBOX_AHEAD_H

#include "functions/lib/sandbox/protocol.h"

/* Writes the task and these answers to `out`, as frames. Leaves out answers of blocklists, because
 * the names of their zones may contain a customer's key, which a hostile message that takes over a
 * child could show in its result. */
void eds_put_ahead(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_verify_input *input,
	unsigned stages, struct rt_buffer *out);

#endif
