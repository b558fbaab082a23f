/* domains-get: GET /api/v1/domains/{id}
 *
 * out   200 {"data": {id, name, createdAt, reportAddress, expectedRecords, posture}}
 * err   401; 404 domain-not-found, whether the id is unknown, malformed, of another account or
 *       outside the token's grant
 */
#include "functions/domains/domain-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/store/posture/posture.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status get_domain(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_domain domain;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_store_posture_get(ctx, store, &domain, &domain.posture));
	return rt_respond_data(ctx, res, 200, eds_domain_json(ctx, &domain));
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, get_domain);
}
