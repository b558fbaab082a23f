/* Paging of lists: ?limit= (1 to 1000) and ?cursor=, both optional. Without limit a list is
 * complete; an export then has a limit of its own. A Link field (RFC 8288) names the next page,
 * because the body contains only {"data": […]}:
 *
 *     Link: </api/v1/domains?limit=2&cursor=b.example>; rel="next"
 *
 * A list binds its cursors to filters and an order with eds_page_bind(); such a cursor is only
 * valid for the same filters and the same order. An export leaves out from= and to=, and some lists
 * bind their cursors to nothing. "b.example" is a cursor without filters and order. To a cursor
 * with filters or an order, their digest is added: "b.example~0123456789abcdef".
 *
 * A list asks the store for page.rows items, one more than it shows, to learn whether more follow:
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
	EDS_PAGE_SEARCH_MAX = 253, /* maximum number of octets of a search text, which is also the
				    * maximum of a domain name */
	EDS_PAGE_CURSOR_MAX = 272, /* maximum number of octets of a cursor: enough for a name of
				    * 253 octets, and the digest of filters and order */
};

struct eds_page {
	int limit;                  /* items per answer; 0 for all */
	int rows;                   /* items to ask the store for, one more than limit; 0 for all */
	const char *const *repeats; /* names of the parameters to repeat in the link to the next
				     * page; NULL ends the list */
	const char *after; /* the cursor without its mark: the key of the last item of the previous
			    * page; NULL for the first page */
	const char *mark;  /* digest of filters and order, the last part of the cursor; "" if there
			    * are neither filters nor an order */
};

/* Reads ?limit= and ?cursor=. Fails with RT_BAD_INPUT "limit-invalid" or "cursor-invalid". */
RT_MUST_USE rt_status eds_page_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_page *page);

/* Binds the page to filters and the order of the request. asked: a text that identifies both; "" if
 * there are none. repeats: the names of the parameters with the filters and the order. Fails with
 * RT_BAD_INPUT "cursor-invalid" when the cursor belongs to other filters or another order. */
RT_MUST_USE rt_status eds_page_bind(
	struct rt_ctx *ctx, struct eds_page *page, const char *const *repeats, const char *asked);

/* Sets *choice to the index of the parameter's value in `words`, an array that ends with NULL; to
 * -1 when the request does not have the parameter. False when the value is not one of the words. */
RT_MUST_USE bool eds_page_choice(
	const struct rt_request *req, const char *name, const char *const *words, int *choice);

/* Sets *text to the value of ?search=, or to "" when the request does not have it. Fails with
 * RT_BAD_INPUT "search-invalid". */
RT_MUST_USE rt_status eds_page_search(
	struct rt_ctx *ctx, const struct rt_request *req, const char **text);

/* Reduces *count to the items that the page shows; true when there are more. */
RT_MUST_USE bool eds_page_cut(const struct eds_page *page, size_t *count);

/* In a list ordered by time, the key of an item is "1764000000000.KEY". The first function makes
 * such a key; the second reads it from the page's cursor, and fails with RT_BAD_INPUT
 * "cursor-invalid". */
const char *eds_page_timed_key(struct rt_ctx *ctx, int64_t at_ms, const char *key);
RT_MUST_USE rt_status eds_page_read_timed_key(
	struct rt_ctx *ctx, const struct eds_page *page, int64_t *at_ms, const char **key);

/* Adds the Link to the next page, which begins after the item with this key. */
void eds_page_next(struct rt_ctx *ctx, const struct rt_request *req, const struct eds_page *page,
	const char *last_key, struct rt_response *res);

#endif
