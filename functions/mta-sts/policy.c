/* mta-sts-policy: GET /.well-known/mta-sts.txt, for the domain of the host mta-sts.DOMAIN
 *
 * out   200 the policy file, text/plain; 304 to If-None-Match
 * err   404 policy-not-found unless the host is the policy host of an enabled, hosted domain whose
 *       TXT record allows its policy to be served
 *
 * Caches on the way must revalidate the file each time: a sender that gets an old policy after it
 * saw the new id in DNS keeps the old policy for max_age.
 */
#include "functions/lib/mta-sts/policy-format.h"
#include "functions/mta-sts/policy-name.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status answer_policy(struct rt_ctx *ctx, const struct rt_request *req,
	const struct eds_mta_sts_served *served, struct rt_response *res)
{
	const char *etag = rt_printf(ctx, "\"%s\"", served->policy_id);
	const char *policy;
	size_t length;

	rt_response_header(res, "cache-control", "no-cache");
	rt_response_header(res, "etag", etag);
	if (rt_request_has_tag(ctx, req, &etag)) {
		res->status = 304;
		return RT_OK;
	}
	policy = eds_policy_format(
		ctx, served->mode, served->max_age_s, &served->patterns, &length);
	return rt_respond_bytes(ctx, res, 200, "text/plain", policy, length, false);
}

static rt_status serve_policy(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_mta_sts_served served;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	rt_response_header(res, "cache-control", "no-store");
	RT_TRY(policy_find(ctx, store, rt_request_host(ctx, req), &served));
	return answer_policy(ctx, req, &served, res);
}

int main(int argc, char **argv)
{
	rt_takes_any_query();
	return rt_main_http(argc, argv, serve_policy);
}
