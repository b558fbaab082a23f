/* Reads the shape of a message (shape.h) from the frame that the child has sent. This code has a
 * file of its own, so that the child's program is linked without the conversion of
 * internationalized names. */
#ifndef EDS_SANDBOX_PROTOCOL_SHAPE_READ_H
#define EDS_SANDBOX_PROTOCOL_SHAPE_READ_H

#include "functions/lib/sandbox/protocol.h"

/* Reads a shape and converts its hosts to A-labels. False unless the payload is complete, in range
 * and plausible. */
RT_MUST_USE bool eds_get_shape(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_shape *shape);

#endif
