/* The shape of a message, as the child says it; apart from what the child itself needs, which has
 * no use for names in other scripts. */
#ifndef EDS_SANDBOX_PROTOCOL_SHAPE_READ_H
#define EDS_SANDBOX_PROTOCOL_SHAPE_READ_H

#include "functions/lib/sandbox/protocol.h"

/* Hosts are made A-labels. */
RT_MUST_USE bool eds_get_shape(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_shape *shape);

#endif
