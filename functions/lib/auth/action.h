/* What a request asks for, by the names that openapi.yaml gives its operations. */
#ifndef EDS_AUTH_ACTION_H
#define EDS_AUTH_ACTION_H

#include "runtime/event/event.h"

/* "deleteSelector" of DELETE /api/v1/domains/ID/dkim/selectors/s1. Of an operation that changes
 * something and is not known here: method and path. */
const char *eds_action_name(struct rt_ctx *ctx, const struct rt_request *req);

#endif
