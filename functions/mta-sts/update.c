/* mta-sts-update: PATCH /api/v1/domains/{id}/mta-sts
 *
 * in    {enabled, mode, maxAge, mxPatterns, hosted}, each of them optional
 * out   200 as mta-sts-get, with the settings after the change
 * err   400 json-invalid, body-missing, body-not-object, field-invalid, field-unknown,
 *       mx-patterns-missing, if-match-invalid; 401; 403 token-read-only, hosting-not-in-plan;
 *       404 domain-not-found; 412 version-changed, by If-Match; 413; 415
 *
 * A change of mode, maxAge or mxPatterns changes the policy, which gets a new policyId.
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/if-match.h"
#include "functions/lib/mta-sts/change.h"
#include "functions/mta-sts/mta-sts-json.h"
#include "functions/mta-sts/patch.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"

static rt_status version(struct rt_ctx *ctx, struct eds_store *store, void *arg, const char **etag)
{
	const struct eds_domain *domain = arg;
	struct eds_mta_sts config;

	RT_TRY(eds_store_mta_sts_get(ctx, store, domain, &config));
	*etag = mta_sts_version(ctx, &config);
	return RT_OK;
}

static rt_status update_configuration(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_mta_sts config;
	struct eds_domain domain;
	struct eds_store *store;
	struct patch patch;
	json_t *body;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(rt_body_object(ctx, req, &body));
	RT_TRY(patch_read(ctx, body, &patch));
	RT_TRY(eds_if_match(ctx, req, store, version, &domain));
	RT_TRY(eds_mta_sts_update(ctx, store, &domain, patch_apply, &patch, &config));
	return mta_sts_respond(ctx, store, &config, res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, update_configuration);
}
