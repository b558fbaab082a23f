/* reports-reporters-decide: PATCH /api/v1/domains/{id}/reporters/{reporter}
 *
 * in    {"decision": "accepted" | "blocked" | null}
 * out   200 {"data": {domain, standing, decision, …}}, the reporter after the change
 * err   400 json-invalid, body-missing, body-not-object, field-invalid, field-unknown,
 *       if-match-invalid; 401; 403 token-read-only; 404 domain-not-found, reporter-not-found;
 *       412 version-changed, by If-Match; 413; 415
 *
 * From the next request on, sums include or exclude the reporter's reports. Selectors keep the
 * evidence from these reports.
 */
#include <string.h>

#include "functions/lib/auth/auth.h"
#include "functions/lib/if-match.h"
#include "functions/reports/reporter-json.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status read_decision(
	struct rt_ctx *ctx, const struct rt_request *req, const char **standing)
{
	static const char *const fields[] = {"decision"};
	const json_t *value;
	json_t *body;

	RT_TRY(rt_body_object(ctx, req, &body));
	RT_TRY(rt_body_only(ctx, body, fields, 1));
	value = json_object_get(body, "decision");
	if (json_is_null(value)) {
		*standing = "";
		return RT_OK;
	}
	*standing = json_is_string(value) ? json_string_value(value) : "";
	if (strcmp(*standing, "accepted") == 0 || strcmp(*standing, "blocked") == 0)
		return RT_OK;
	rt_fail_field(ctx, "decision", "\"accepted\", \"blocked\" or null is required");
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
		"the body has a field whose value is not allowed");
}

struct decided {
	const struct eds_domain *domain;
	const char *name;
};

static rt_status version(struct rt_ctx *ctx, struct eds_store *store, void *arg, const char **etag)
{
	const struct decided *decided = arg;
	struct eds_reporter reporter;

	RT_TRY(eds_store_reporter_get(ctx, store, decided->domain, decided->name, &reporter));
	*etag = rt_data_etag(ctx, reporter_json(ctx, &reporter));
	return RT_OK;
}

static rt_status decide_reporter(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *param = rt_request_param(req, "reporter");
	const char *name = param != NULL ? rt_lower(ctx, param) : "";
	struct eds_reporter reporter;
	struct eds_domain domain;
	struct decided decided = {&domain, name};
	struct eds_store *store;
	const char *standing;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(read_decision(ctx, req, &standing));
	RT_TRY(eds_if_match(ctx, req, store, version, &decided));
	RT_TRY(eds_store_reporter_decide(ctx, store, &domain, name, standing, &reporter));
	return rt_respond_data(ctx, res, 200, reporter_json(ctx, &reporter));
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, decide_reporter);
}
