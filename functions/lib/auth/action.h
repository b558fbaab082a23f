/* Names the operation of a request that changes something, as openapi.yaml does, for the audit log.
 */
#ifndef EDS_AUTH_ACTION_H
#define EDS_AUTH_ACTION_H

#include "runtime/event/event.h"

/* Returns "deleteSelector" for DELETE /api/v1/domains/ID/dkim/selectors/s1. For an operation that
 * is not known, returns method and path. */
const char *eds_action_name(struct rt_ctx *ctx, const struct rt_request *req);

#endif
