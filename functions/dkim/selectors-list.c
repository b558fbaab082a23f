/* dkim-selectors-list: GET /api/v1/domains/{id}/dkim/selectors
 *
 * in    ?limit=, ?cursor=
 * out   200 {"data": [{selector, valid, keyType, keySize, errors, warnings, addedManually,
 *           checkedAt, state, evidence}, …]} by name; Link to the next page
 * err   400 limit-invalid, cursor-invalid; 401; 404 domain-not-found; 429 answer-too-large
 */
#include "functions/dkim/selector-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "runtime/handler.h"

static void write_entries(
	struct selector_body *body, const struct eds_selector *selectors, size_t count)
{
	rt_buffer_text(&body->text, "[");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			rt_buffer_text(&body->text, ",");
		selector_write_entry(body, &selectors[i]);
	}
	rt_buffer_text(&body->text, "]");
}

static rt_status list_selectors(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_selector *selectors;
	struct eds_domain domain;
	struct eds_store *store;
	struct selector_body body;
	struct eds_page page;
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_page_read(ctx, req, &page));
	RT_TRY(eds_store_selector_list(
		ctx, store, &domain, page.after, page.rows, &selectors, &count));
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, req, &page, selectors[count - 1].name, res);
	selector_body_begin(ctx, &body);
	write_entries(&body, selectors, count);
	return selector_body_respond(ctx, &body, res, 200);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, list_selectors);
}
