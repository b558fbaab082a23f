/* reports-reporters-list: GET /api/v1/domains/{id}/reporters
 *
 * in    ?limit=, ?cursor=
 * out   200 {"data": [{domain, standing, decision, firstSeenAt, lastSeenAt, verifiedAt,
 *       verifiedReports, otherReports}, …]} sorted by domain; Link to the next page
 * err   400 limit-invalid, cursor-invalid; 401; 404 domain-not-found
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "functions/reports/reporter-json.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

static rt_status list_reporters(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_reporter *reporters;
	struct eds_domain domain;
	struct eds_store *store;
	struct eds_page page;
	json_t *list = json_array();
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_page_read(ctx, req, &page));
	RT_TRY(eds_store_reporter_list(
		ctx, store, &domain, page.after, page.rows, &reporters, &count));
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, req, &page, reporters[count - 1].domain, res);
	for (size_t i = 0; i < count; i++)
		rt_json_append(list, reporter_json(ctx, &reporters[i]));
	return rt_respond_data(ctx, res, 200, list);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, list_reporters);
}
