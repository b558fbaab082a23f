/* The stored result of the checks of a domain's mail setup, as the API shows it:
 *
 *     {"domain": "example.com", "checkedAt", "changedAt", "state", "items": […], "records": […]}
 */
#ifndef POSTURE_KEPT_JSON_H
#define POSTURE_KEPT_JSON_H

#include "functions/lib/store/posture/posture.h"
#include "runtime/json.h"

json_t *posture_json(struct rt_ctx *ctx, const char *domain, const struct eds_posture_kept *kept);

#endif
