/* domains-check: GET /api/v1/check?domain=example.com
 *
 * out   200 {"data": {domain, checkedAt, state, items}}
 * err   400 name-invalid; 403 client-blocked; 429 too-many-checks with Retry-After
 *
 * Shows what DNS says about a domain's mail; needs no account. It only asks DNS, so that nobody can
 * use it to make eds connect to other people's servers. It only asks for names of the public DNS,
 * even if the domain's records refer to other names. The number of checks per client and hour is
 * limited, like the number of test sessions.
 */
#include "functions/domains/domain-name.h"
#include "functions/lib/counted-client.h"
#include "functions/lib/posture/look-now.h"
#include "functions/lib/posture/posture-json.h"
#include "functions/lib/store/tester/client-use.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

static rt_status check_domain(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_posture *posture = rt_alloc(ctx, sizeof *posture);
	struct eds_posture_question question = {
		.authority = rt_config()->policy_authority, .public_only = true};
	const char *name = rt_request_query(req, "domain");
	const char *client;
	struct eds_store *store;
	json_t *data = json_object();

	RT_TRY(eds_domain_name_read(ctx, "domain", name != NULL ? name : "", &name));
	RT_TRY(eds_domain_name_check_public(ctx, "domain", name));
	RT_TRY(eds_counted_client(ctx, req, &client));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_client_use(
		ctx, store, EDS_CLIENT_CHECK, client, rt_config()->sessions_per_hour));
	question.domain = name;
	RT_TRY(eds_posture_look_now(ctx, &question, posture));
	rt_json_set_text(ctx, data, "domain", name);
	rt_json_set_text(ctx, data, "checkedAt", rt_time_format(ctx, rt_wall_ms()));
	eds_posture_put(ctx, posture, data);
	rt_response_header(res, "cache-control", "no-store");
	return rt_respond_data(ctx, res, 200, data);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"domain", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, check_domain);
}
