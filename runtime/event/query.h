/* The query parameters that an HTTP function accepts, declared in main before rt_main_http:
 *
 *     static const char *const names[] = {"limit", "cursor", NULL};
 *
 *     rt_takes_query("GET", names);
 *
 * Without a declaration it accepts none. An unknown parameter is refused, and the error names the
 * nearest known one: a filter with a typing error in its name must not show everything.
 */
#ifndef RT_QUERY_H
#define RT_QUERY_H

#include "runtime/event/event.h"

/* Lets requests of this method have parameters with these names, a list ended by NULL; other
 * methods have none. Both are borrowed for the life of the process. */
void rt_takes_query(const char *method, const char *const *names);

/* Accepts any parameter, for pages and requests to which foreign sites and clients add their
 * own. */
void rt_takes_any_query(void);

/* RT_BAD_INPUT "query-unknown" naming each parameter that is not accepted. */
RT_MUST_USE rt_status rt_query_check(struct rt_ctx *ctx, const struct rt_request *req);

#endif
