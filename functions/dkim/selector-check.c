/* dkim-selector-check: POST /api/v1/domains/{id}/dkim/selectors/{selector}/check
 *
 * out   200 {"data": {the selector as in the list}}, checked just now
 * err   401; 403 token-read-only; 404 domain-not-found, selector-not-found; 429 too-many-checks
 *
 * When DNS fails temporarily, the answer says so and the stored result is kept.
 */
#include "functions/dkim/selector-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/selector/outcome.h"
#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/selectors/selector-due.h"
#include "functions/lib/store/selectors/selector-list.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

/* Claims the selector, as the scheduled recheck does, so that only one of the two writes an
 * outcome. */
static rt_status check_now(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_dkim_check *check)
{
	struct eds_selector_due *none;
	struct eds_selector_due due;
	size_t written;
	size_t claimed;

	RT_TRY(eds_store_selector_claim(ctx, store, domain, name, &due));
	RT_TRY(eds_dkim_check_selector(ctx, due.domain, due.name, check));
	eds_outcome_settle(ctx, &due, check);
	return eds_store_selectors_turn(ctx, store, &due, 1, &written, 0, &none, &claimed);
}

static rt_status check_selector(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *name = rt_request_param(req, "selector");
	struct eds_selector selector;
	struct eds_dkim_check check;
	struct eds_domain domain;
	struct eds_store *store;
	struct selector_body body;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	if (name == NULL)
		return eds_store_no_selector(ctx);
	RT_TRY(eds_store_use(ctx, store, domain.account_id, domain.plan, EDS_USE_CHECK));
	RT_TRY(check_now(ctx, store, &domain, name, &check));
	RT_TRY(eds_store_selector_get(ctx, store, &domain, name, &selector));
	if (check.state == EDS_SELECTOR_UNKNOWN)
		selector.check = *eds_outcome_row(ctx, &check);
	rt_response_header(res, "etag", selector_etag(ctx, selector.name, &selector.check));
	selector_body_begin(ctx, &body);
	selector_write_entry(&body, &selector);
	return selector_body_respond(ctx, &body, res, 200);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, check_selector);
}
