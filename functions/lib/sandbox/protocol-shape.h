/* The shape of a message (shape.h) as a frame that the child writes. The reader of this frame
 * (protocol-shape-read.h) trusts nothing. */
#ifndef EDS_SANDBOX_PROTOCOL_SHAPE_H
#define EDS_SANDBOX_PROTOCOL_SHAPE_H

#include "functions/lib/sandbox/protocol.h"

/* Writes one whole frame. */
void eds_put_shape(struct rt_buffer *out, const struct eds_shape *shape);

#endif
