/* Failures as seen from outside: RFC 9457 problems over HTTP, errorType elsewhere. */
#ifndef RT_PROBLEM_H
#define RT_PROBLEM_H

#include "runtime/json.h"

/* The HTTP status of a failure: by its code where that says more (413, 415), else by category. */
int rt_problem_status(rt_status category, const char *code);

/* {"type", "title", "status", "detail", "code", "errors"?}. The type is a reference to the page of
 * the service that explains the code (RFC 9457 section 3.1.1): relative, so that it is the same on
 * every instance and leads to the one that answered. */
json_t *rt_problem_json(struct rt_ctx *ctx, int status, const struct rt_failure *failure);

/* "Bad Request" */
const char *rt_http_reason(int status);

/* "bad-input", "temporary", …: the errorType of a failed event is "temporary.store-unavailable". */
const char *rt_status_name(rt_status category);

#endif
