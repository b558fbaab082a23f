/* mta-sts-get: GET /api/v1/domains/{id}/mta-sts
 *
 * out   200 {"data": {enabled, mode, maxAge, mxPatterns, hosted, policyId, policyContent,
 *       policyUrl, updatedAt, expectedRecords, observed, advice, reports}}
 * err   401; 404 domain-not-found, whether the id is unknown, malformed or of another account
 */
#include "functions/lib/auth/auth.h"
#include "functions/mta-sts/mta-sts-json.h"
#include "runtime/event/handler.h"

static rt_status get_configuration(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_mta_sts config;
	struct eds_domain domain;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_store_mta_sts_get(ctx, store, &domain, &config));
	return mta_sts_respond(ctx, store, &config, res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, get_configuration);
}
