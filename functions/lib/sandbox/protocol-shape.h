/* The shape of a message on the wire: found by the child, believed by nobody. */
#ifndef EDS_SANDBOX_PROTOCOL_SHAPE_H
#define EDS_SANDBOX_PROTOCOL_SHAPE_H

#include "functions/lib/sandbox/protocol.h"

/* Each writes one whole frame. */
void eds_put_shape(struct rt_buffer *out, const struct eds_shape *shape);

#endif
