#include "functions/lib/page.h"
#include "runtime/event/event-http.h"
#include "runtime/event/response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/event/etag.h"
#include "runtime/text/percent.h"

enum {
	MARK_DIGITS = 16,
};

/* Reads a limit from 1 to EDS_PAGE_LIMIT_MAX, in at most four digits; 0 for anything else. */
static int parse_limit(const char *text)
{
	size_t length = strlen(text);
	long value;

	if (length > 4 || strspn(text, "0123456789") != length)
		return 0;
	value = strtol(text, NULL, 10);
	return value <= EDS_PAGE_LIMIT_MAX ? (int)value : 0;
}

static rt_status cursor_invalid(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_BAD_INPUT, "cursor-invalid",
		"cursor must be the value of cursor= in the Link field of the previous page");
}

rt_status eds_page_read(struct rt_ctx *ctx, const struct rt_request *req, struct eds_page *page)
{
	const char *limit = rt_request_query(req, "limit");

	page->limit = limit != NULL ? parse_limit(limit) : 0;
	page->repeats = NULL;
	page->mark = "";
	page->rows = page->limit > 0 ? page->limit + 1 : 0;
	page->after = rt_request_query(req, "cursor");
	if (limit != NULL && page->limit == 0)
		return rt_fail(ctx, RT_BAD_INPUT, "limit-invalid",
			"limit must be a whole number from 1 to %d", EDS_PAGE_LIMIT_MAX);
	if (page->after != NULL && strlen(page->after) > EDS_PAGE_CURSOR_MAX)
		return cursor_invalid(ctx);
	return RT_OK;
}

/* The mark at the end of a cursor, after its ~; NULL when the cursor has no mark. */
static const char *mark_in(const char *cursor)
{
	const char *tilde = strrchr(cursor, '~');

	if (tilde == NULL || strlen(tilde + 1) != MARK_DIGITS ||
		strspn(tilde + 1, "0123456789abcdef") != MARK_DIGITS)
		return NULL;
	return tilde + 1;
}

/* Makes the mark of a cursor from `asked`: the digest that rt_etag() computes, without its quotes;
 * "" for an empty text. */
static const char *mark_of(struct rt_ctx *ctx, const char *asked)
{
	return asked[0] == '\0'
		? ""
		: rt_memdup(ctx, rt_etag(ctx, asked, strlen(asked)) + 1, MARK_DIGITS);
}

rt_status eds_page_bind(
	struct rt_ctx *ctx, struct eds_page *page, const char *const *repeats, const char *asked)
{
	const char *mark = page->after != NULL ? mark_in(page->after) : NULL;

	page->repeats = repeats;
	page->mark = mark_of(ctx, asked);
	if (page->after == NULL)
		return RT_OK;
	if (strcmp(mark != NULL ? mark : "", page->mark) != 0)
		return rt_fail(ctx, RT_BAD_INPUT, "cursor-invalid",
			"the cursor belongs to a list in another order or with other filters: "
			"start again without a cursor");
	if (mark != NULL)
		page->after = rt_memdup(ctx, page->after, (size_t)(mark - page->after) - 1);
	return RT_OK;
}

bool eds_page_choice(
	const struct rt_request *req, const char *name, const char *const *words, int *choice)
{
	const char *text = rt_request_query(req, name);

	*choice = -1;
	if (text == NULL)
		return true;
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(text, words[i]) == 0)
			*choice = i;
	return *choice >= 0;
}

rt_status eds_page_search(struct rt_ctx *ctx, const struct rt_request *req, const char **text)
{
	const char *search = rt_request_query(req, "search");

	*text = search != NULL ? search : "";
	if (strlen(*text) <= EDS_PAGE_SEARCH_MAX)
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "search-invalid",
		"search must be a part of a name, %d octets at most", EDS_PAGE_SEARCH_MAX);
}

const char *eds_page_timed_key(struct rt_ctx *ctx, int64_t at_ms, const char *key)
{
	return rt_printf(ctx, "%lld.%s", (long long)at_ms, key);
}

rt_status eds_page_read_timed_key(
	struct rt_ctx *ctx, const struct eds_page *page, int64_t *at_ms, const char **key)
{
	long long number = 0;
	int digits = 0;

	if (sscanf(page->after, "%14lld.%n", &number, &digits) != 1 || digits == 0)
		return cursor_invalid(ctx);
	*at_ms = number;
	*key = page->after + digits;
	return RT_OK;
}

bool eds_page_cut(const struct eds_page *page, size_t *count)
{
	if (page->limit == 0 || *count <= (size_t)page->limit)
		return false;
	*count = (size_t)page->limit;
	return true;
}

/* Escapes a key or a value for the query of a link (RFC 3986 section 2.1). */
static char *escape(struct rt_ctx *ctx, const char *key)
{
	char *escaped = rt_alloc(ctx, strlen(key) * 3 + 1);

	percent_encode(escaped, key, "");
	return escaped;
}

/* Those parameters of the request that the link to the next page repeats, each in the form
 * "from=2026-01-31&". */
static const char *repeated(
	struct rt_ctx *ctx, const struct rt_request *req, const struct eds_page *page)
{
	const char *query = "";

	for (const char *const *name = page->repeats; name != NULL && *name != NULL; name++) {
		const char *value = rt_request_query(req, *name);

		if (value != NULL)
			query = rt_printf(ctx, "%s%s=%s&", query, *name, escape(ctx, value));
	}
	return query;
}

void eds_page_next(struct rt_ctx *ctx, const struct rt_request *req, const struct eds_page *page,
	const char *last_key, struct rt_response *res)
{
	rt_response_header(res, "link",
		rt_printf(ctx, "<%s?%slimit=%d&cursor=%s%s%s>; rel=\"next\"", req->path,
			repeated(ctx, req, page), page->limit, escape(ctx, last_key),
			page->mark[0] != '\0' ? "~" : "", page->mark));
}
