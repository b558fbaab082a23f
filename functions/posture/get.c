/* posture-get: GET /api/v1/domains/{id}/posture
 *
 * out   200 {"data": {domain, checkedAt, changedAt, state, items, records}}
 * err   401; 404 domain-not-found
 *
 * Shows what the latest check of the domain saw in DNS. Until the first check, which comes within a
 * minute or two, checkedAt is null, the state is unknown, and there are no items.
 */
#include "functions/lib/auth/auth.h"
#include "functions/posture/kept-json.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status get_posture(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_posture_kept kept;
	struct eds_domain domain;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_store_posture_get(ctx, store, &domain, &kept));
	return rt_respond_data(ctx, res, 200, posture_json(ctx, domain.name, &kept));
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, get_posture);
}
