/* posture-history: GET /api/v1/domains/{id}/posture/history
 *
 * in    ?limit=, ?cursor=
 * out   200 {"data": [{item, changedAt, old: {state, record, findings}, new: {…}}, …]}: the changes
 *       of the last 90 days, newest first; Link to the next page
 * err   400 limit-invalid, cursor-invalid; 401; 404 domain-not-found
 */
#include <string.h>

#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "functions/lib/store/posture/posture.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

static json_t *codes_json(struct rt_ctx *ctx, const char *codes)
{
	json_t *json = json_array();

	while (*codes != '\0') {
		size_t length = strcspn(codes, " ");

		rt_json_append(json, rt_json_text(ctx, rt_memdup(ctx, codes, length)));
		codes += length + (codes[length] == ' ');
	}
	return json;
}

static json_t *side_json(struct rt_ctx *ctx, const struct eds_posture_side *side)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "state", side->state);
	rt_json_set_text(ctx, json, "record", side->record);
	rt_json_set(json, "findings", codes_json(ctx, side->findings));
	return json;
}

static json_t *change_json(struct rt_ctx *ctx, const struct eds_posture_change *change)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "item", change->item);
	rt_json_set_text(ctx, json, "changedAt", rt_time_format(ctx, change->at_ms));
	rt_json_set(json, "old", side_json(ctx, &change->old));
	rt_json_set(json, "new", side_json(ctx, &change->now));
	return json;
}

static rt_status get_history(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_posture_change *changes;
	struct eds_domain domain;
	struct eds_store *store;
	struct eds_page page;
	json_t *list = json_array();
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_page_read(ctx, req, &page));
	RT_TRY(eds_store_posture_history(
		ctx, store, &domain, page.after, page.rows, &changes, &count));
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, req, &page, changes[count - 1].id, res);
	for (size_t i = 0; i < count; i++)
		rt_json_append(list, change_json(ctx, &changes[i]));
	return rt_respond_data(ctx, res, 200, list);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, get_history);
}
