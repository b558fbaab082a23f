/* The query parameters that a function of HTTP takes, said in main before rt_main_http:
 *
 *     static const char *const names[] = {"limit", "cursor", NULL};
 *
 *     rt_takes_query("GET", names);
 *
 * Without that it takes none. A parameter that it does not take is refused with the nearest that it
 * takes: a filter with a slip in its name must not show everything.
 */
#ifndef RT_QUERY_H
#define RT_QUERY_H

#include "runtime/event/event.h"

/* Requests of this method may have parameters of these names, a list that NULL ends; others none.
 * Both stay the caller's, for as long as the process lives. */
void rt_takes_query(const char *method, const char *const *names);

/* Any parameter may be there: of what others than our clients link to or ask, who add their own. */
void rt_takes_any_query(void);

/* RT_BAD_INPUT "query-unknown" naming each parameter that is not taken. */
RT_MUST_USE rt_status rt_query_check(struct rt_ctx *ctx, const struct rt_request *req);

#endif
