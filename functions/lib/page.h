/* Paging of lists: ?limit= (1 to 1000) and ?cursor=, both optional. Without limit a list is
 * complete. The next page is named by a Link field (RFC 8288), since the body of an answer is
 * {"data": […]} alone:
 *
 *     Link: </api/v1/domains?limit=2&cursor=b.example>; rel="next"
 *
 * Where a list has filters and orders, its cursor belongs to those that it was asked with:
 * "b.example" to the list as it is without any, "b.example~0123456789abcdef" to another.
 *
 * A list asks the store for page.rows items, one more than it shows, to know whether more follow:
 *
 *     RT_TRY(eds_store_domain_list(ctx, store, &account, page.after, page.rows, &domains, &count));
 *     if (eds_page_cut(&page, &count))
 *             eds_page_next(ctx, req, &page, domains[count - 1].name, res);
 */
#ifndef EDS_PAGE_H
#define EDS_PAGE_H

#include "runtime/event/event.h"

enum {
	EDS_PAGE_LIMIT_MAX = 1000,
	EDS_PAGE_SEARCH_MAX = 253, /* octets: as many as a name has at most */
	EDS_PAGE_CURSOR_MAX = 272, /* octets: a name of 253, and the mark of what was asked */
};

struct eds_page {
	int limit;                  /* items of an answer; 0: all */
	int rows;                   /* to ask the store for; 0: all */
	const char *const *repeats; /* parameters that hold for the next page too; NULL ends them */
	const char *after; /* the cursor: the list's key of the last item seen; NULL at the start */
	const char *mark;  /* of what was asked, as it ends the cursor; "" of nothing */
};

/* RT_BAD_INPUT "limit-invalid" or "cursor-invalid". */
RT_MUST_USE rt_status eds_page_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_page *page);

/* Says which filters and which order the list was asked with: asked is a text of them, "" of the
 * list as it is without; repeats are their parameters. RT_BAD_INPUT "cursor-invalid" when the
 * cursor belongs to others. */
RT_MUST_USE rt_status eds_page_bind(
	struct rt_ctx *ctx, struct eds_page *page, const char *const *repeats, const char *asked);

/* Which of the words, a list that NULL ends, the parameter of this name is; -1 without it. False
 * when it is another word. */
RT_MUST_USE bool eds_page_choice(
	const struct rt_request *req, const char *name, const char *const *words, int *choice);

/* *text is ?search=, "" without it. RT_BAD_INPUT "search-invalid". */
RT_MUST_USE rt_status eds_page_search(
	struct rt_ctx *ctx, const struct rt_request *req, const char **text);

/* Leaves those that the page shows; true when there were more. */
RT_MUST_USE bool eds_page_cut(const struct eds_page *page, size_t *count);

/* "1764000000000.KEY", the key of an item in a list by time, and what is in a cursor that is such a
 * key. RT_BAD_INPUT "cursor-invalid". */
const char *eds_page_timed_key(struct rt_ctx *ctx, int64_t at_ms, const char *key);
RT_MUST_USE rt_status eds_page_read_timed_key(
	struct rt_ctx *ctx, const struct eds_page *page, int64_t *at_ms, const char **key);

/* Names the next page, which begins behind the item of this key. */
void eds_page_next(struct rt_ctx *ctx, const struct rt_request *req, const struct eds_page *page,
	const char *last_key, struct rt_response *res);

#endif
