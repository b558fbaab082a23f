/* domains-create: POST /api/v1/domains
 *
 * in    {"name": "example.com"}, in U-labels or A-labels
 * out   201 {"data": {id, name, createdAt, reportAddress, expectedRecords, posture}} with Location
 * err   400 json-invalid, body-missing, body-not-object, name-invalid, field-invalid,
 *       field-unknown; 401; 403 token-read-only, token-domains, domain-limit; 409 domain-exists;
 *       413; 415; 429 too-many-domains with Retry-After; of Idempotency-Key
 *       (functions/lib/once.h) 400, 409, 422, 429
 */
#include "functions/domains/domain-json.h"
#include "functions/domains/domain-name.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/dns/own-names.h"
#include "functions/lib/once.h"
#include "functions/lib/report-address.h"
#include "functions/lib/store/life/domain-life.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

struct creation {
	const struct eds_account *account;
	const char *name;
	struct eds_domain domain;
};

static rt_status make(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct creation *creation = arg;

	return eds_store_domain_create(
		ctx, store, creation->account, creation->name, &creation->domain);
}

static rt_status answer(struct rt_ctx *ctx, void *arg, struct rt_response *res)
{
	const struct eds_domain *domain = &((struct creation *)arg)->domain;
	json_t *json = eds_domain_json(ctx, domain);

	rt_response_header(res, "location", rt_printf(ctx, "/api/v1/domains/%s", domain->id));
	rt_response_header(res, "etag", rt_data_etag(ctx, json));
	return rt_respond_data(ctx, res, 201, json);
}

static rt_status create_domain(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	static const char *const fields[] = {"name"};
	struct eds_account account;
	struct creation creation = {.account = &account};
	struct eds_store *store;
	const char *name;
	json_t *body;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_account(ctx, req, store, &account));
	RT_TRY(rt_body_object(ctx, req, &body));
	RT_TRY(rt_body_only(ctx, body, fields, 1));
	RT_TRY(rt_body_string(ctx, req, "name", &name));
	RT_TRY(eds_domain_name_read(ctx, "name", name, &creation.name));
	if (eds_dns_keeps_own_names())
		RT_TRY(eds_domain_name_check_public(ctx, "name", creation.name));
	return eds_once(
		ctx, req, store, &(struct eds_once){account.id, make, answer, &creation}, res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, create_domain);
}
