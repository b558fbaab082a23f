/* Migration on behalf of a CloudFormation stack: a custom resource of the template asks for it, and
 * every other function depends on that resource. So the database is brought up to date after this
 * function was replaced and before the others are, and a stack whose migration fails keeps its old
 * release.
 *
 * in    {"RequestType": "Create" | "Update" | "Delete", "ResponseURL", "StackId", "RequestId",
 *        "LogicalResourceId", …}   (CloudFormation, "Custom resource request objects")
 * sends a PUT to ResponseURL: {"Status": "SUCCESS" | "FAILED", "Reason", "PhysicalResourceId", …}
 */
#ifndef EDS_ADMIN_STACK_H
#define EDS_ADMIN_STACK_H

#include "runtime/json.h"

bool eds_admin_is_stack_event(const json_t *input);

/* answer is the JSON sent to the stack. RT_TEMPORARY "stack-not-told": the platform sends the event
 * again. */
RT_MUST_USE rt_status eds_admin_stack(struct rt_ctx *ctx, const json_t *input, json_t **answer);

#endif
