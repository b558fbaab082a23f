/* Paging of lists: ?limit= (1 to 1000) and ?cursor=, both optional. Without limit a list is
 * complete. The next page is named by a Link field (RFC 8288), since the body of an answer is
 * {"data": […]} alone:
 *
 *     Link: </api/v1/domains?limit=2&cursor=b.example>; rel="next"
 *
 * A list asks the store for page.rows items, one more than it shows, to know whether more follow:
 *
 *     RT_TRY(eds_store_domain_list(ctx, store, &account, page.after, page.rows, &domains, &count));
 *     if (eds_page_cut(&page, &count))
 *             eds_page_next(ctx, req, &page, domains[count - 1].name, res);
 */
#ifndef EDS_PAGE_H
#define EDS_PAGE_H

#include "runtime/event.h"

enum {
	EDS_PAGE_LIMIT_MAX = 1000,
	EDS_PAGE_CURSOR_MAX = 256, /* octets */
};

struct eds_page {
	int limit;                  /* items of an answer; 0: all */
	int rows;                   /* to ask the store for; 0: all */
	const char *const *repeats; /* parameters that hold for the next page too; NULL ends them */
	const char *after; /* the cursor: the list's key of the last item seen; NULL at the start */
};

/* RT_BAD_INPUT "limit-invalid" or "cursor-invalid". */
RT_MUST_USE rt_status eds_page_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_page *page);

/* Leaves those that the page shows; true when there were more. */
RT_MUST_USE bool eds_page_cut(const struct eds_page *page, size_t *count);

/* Names the next page, which begins behind the item of this key. */
void eds_page_next(struct rt_ctx *ctx, const struct rt_request *req, const struct eds_page *page,
	const char *last_key, struct rt_response *res);

#endif
