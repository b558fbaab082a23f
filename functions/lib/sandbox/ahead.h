/* The data that a child gets at its start: the task, and those DNS answers of this event that the
 * child may see, as far as they fit. */
#ifndef EDS_SANDBOX_AHEAD_H
#define EDS_SANDBOX_AHEAD_H

#include "functions/lib/sandbox/protocol.h"

/* Writes the task and the DNS answers to `out`, as frames. Leaves out answers of blocklists: the
 * name of a blocklist's zone may contain a key that the blocklist has given to its customer, and a
 * hostile message that takes over a child could put this key into the result. */
void eds_put_ahead(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_verify_input *input,
	unsigned stages, struct rt_buffer *out);

#endif
