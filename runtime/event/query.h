/* The query parameters that an HTTP function accepts, declared in main before rt_main_http:
 *
 *     static const char *const names[] = {"limit", "cursor", NULL};
 *
 *     rt_takes_query("GET", names);
 *
 * A function without a declaration accepts none. An unknown parameter is refused, since a filter
 * whose name is misspelled must not be ignored. The error names the nearest known parameter, or all
 * of them if none is near.
 */
#ifndef RT_QUERY_H
#define RT_QUERY_H

#include "runtime/event/event.h"

/* Allows requests with this method to have parameters with these names, a list ended by NULL. GET
 * includes HEAD. Requests with any other method must have no parameters. To be called at most once:
 * a second call replaces the first. method and names must stay valid as long as the process. */
void rt_takes_query(const char *method, const char *const *names);

/* Allows any parameter, for pages and requests to which foreign sites and clients add parameters of
 * their own. */
void rt_takes_any_query(void);

/* Fails with RT_BAD_INPUT "query-unknown" when a parameter is not allowed. The failure has a field
 * for each such parameter, at most RT_FAILURE_FIELDS_MAX; it does not repeat a name longer than 64
 * octets. */
RT_MUST_USE rt_status rt_query_check(struct rt_ctx *ctx, const struct rt_request *req);

#endif
