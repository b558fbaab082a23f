/* Migration on behalf of a CloudFormation stack. A custom resource of the stack's template requests
 * the migration, and every other function depends on that resource. So a deployment replaces this
 * function first, then brings the database up to date, then replaces the other functions; if the
 * migration fails, the stack keeps its old release.
 *
 * in    {"RequestType": "Create" | "Update" | "Delete", "ResponseURL", "StackId", "RequestId",
 *        "LogicalResourceId", …}   (CloudFormation, "Custom resource request objects")
 * sends a PUT to ResponseURL: {"Status": "SUCCESS" | "FAILED", "Reason", "PhysicalResourceId", …}
 */
#ifndef EDS_ADMIN_STACK_H
#define EDS_ADMIN_STACK_H

#include "runtime/json.h"

bool eds_admin_is_stack_event(const json_t *input);

/* *answer becomes the JSON that was sent to the stack. After RT_TEMPORARY "stack-not-told" the
 * platform sends the event again. */
RT_MUST_USE rt_status eds_admin_stack(struct rt_ctx *ctx, const json_t *input, json_t **answer);

#endif
