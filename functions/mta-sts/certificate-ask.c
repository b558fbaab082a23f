/* mta-sts-certificate-ask: GET /certificate-ask?domain=mta-sts.example.com, on the operations port
 *
 * out   200: the TLS server in front of the policy host may get a certificate for this name
 * err   404 policy-not-found unless the name is exactly the policy host of an enabled, hosted
 * domain whose TXT record allows its policy to be served; 429 too-many-certificates
 *
 * Without this question, anybody could point names at the policy host and make the TLS server in
 * front of it use up the rate limits of its certificate authority.
 */
#include "functions/lib/store/mta-sts/mta-sts-served.h"
#include "functions/mta-sts/policy-name.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"

static rt_status answer_question(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *host = rt_request_query(req, "domain");
	struct eds_mta_sts_served served;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(policy_find(ctx, store, host != NULL ? host : "", &served));
	RT_TRY(eds_store_mta_sts_certificate(ctx, store, &served));
	res->status = 200;
	return RT_OK;
}

int main(int argc, char **argv)
{
	rt_takes_any_query();
	return rt_main_http(argc, argv, answer_question);
}
