/* The child's results as frames. A hostile message may have taken over the child, so the functions
 * that read a frame trust nothing. */
#ifndef EDS_SANDBOX_PROTOCOL_RESULT_H
#define EDS_SANDBOX_PROTOCOL_RESULT_H

#include "functions/lib/sandbox/protocol.h"

/* Each function writes one whole frame. */
void eds_put_spf(
	struct rt_buffer *out, enum eds_frame_kind kind, const struct eds_spf_result *result);
void eds_put_dkim(struct rt_buffer *out, const struct eds_dkim_result *result);

/* Each function reads the payload of one frame; false unless the payload is complete, in range and
 * plausible. */
RT_MUST_USE bool eds_get_spf(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_spf_result *result);
RT_MUST_USE bool eds_get_dkim(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_dkim_result *result);

#endif
