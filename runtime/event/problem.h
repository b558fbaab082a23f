/* Failures in the form that callers see: RFC 9457 problems over HTTP, errorType elsewhere. */
#ifndef RT_PROBLEM_H
#define RT_PROBLEM_H

#include "runtime/json.h"

/* The HTTP status of a failure. If HTTP has a specific status for the code, for example 413 for
 * "body-too-large", it is that status; otherwise it is the status of the category. */
int rt_problem_status(rt_status category, const char *code);

/* A problem {"type", "title", "status", "detail", "code", "errors"?}. The type refers to the
 * service's page that explains the code (RFC 9457 section 3.1.1). The reference is relative, so it
 * is the same on every instance and leads to the instance that answered. */
json_t *rt_problem_json(struct rt_ctx *ctx, int status, const struct rt_failure *failure);

/* The reason phrase of a status: "Bad Request". */
const char *rt_http_reason(int status);

/* The name of a category: "bad-input", "temporary", …. The errorType of a failed event is the name
 * and the code: "temporary.store-unavailable". */
const char *rt_status_name(rt_status category);

#endif
