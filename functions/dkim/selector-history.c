/* dkim-selector-history: GET /api/v1/domains/{id}/dkim/selectors/{selector}/history
 *
 * out   200 {"data": [{changedAt, valid, keyType, keySize, errors, warnings, record, keyHash,
 *       keyChanged}, …]}: the changes of the last 90 days, at most the latest 200 (selector.h),
 *       newest first; keyChanged: the key differs from the last key that was known
 * err   401; 404 domain-not-found, selector-not-found; 429 answer-too-large
 */
#include "functions/dkim/selector-json.h"
#include "functions/lib/auth/auth.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"

static rt_status get_history(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *name = rt_request_param(req, "selector");
	struct eds_selector_change *changes;
	struct eds_domain domain;
	struct eds_store *store;
	struct selector_body body;
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	if (name == NULL)
		return eds_store_no_selector(ctx);
	RT_TRY(eds_store_selector_history(ctx, store, &domain, name, &changes, &count));
	selector_body_begin(ctx, &body);
	rt_buffer_text(&body.text, "[");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			rt_buffer_text(&body.text, ",");
		selector_write_change(&body, &changes[i]);
	}
	rt_buffer_text(&body.text, "]");
	return selector_body_respond(ctx, &body, res, 200);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, get_history);
}
