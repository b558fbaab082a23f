/* dkim-selectors-register: POST /api/v1/domains/{id}/dkim/selectors
 *
 * in    {"selector": "s1"}
 * out   201 {"data": {selector, valid, keyType, keySize, errors, warnings}}
 * err   400 json-invalid, body-missing, body-not-object, selector-invalid, field-invalid,
 *       field-unknown; 401; 403 token-read-only, selector-limit; 404 domain-not-found;
 *       409 selector-exists; 413; 415; of Idempotency-Key (functions/lib/once.h) 400, 409, 422, 429
 *
 * A selector that does not resolve is registered too; the answer's errors say why. A discovered
 * selector becomes a registered one and keeps the evidence from reports.
 */
#include "functions/dkim/selector-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/once.h"
#include "functions/lib/selector/outcome.h"
#include "functions/lib/store/selectors/selector-due.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status read_selector(
	struct rt_ctx *ctx, const struct rt_request *req, const char **selector)
{
	static const char *const fields[] = {"selector"};
	json_t *body;

	RT_TRY(rt_body_object(ctx, req, &body));
	RT_TRY(rt_body_only(ctx, body, fields, 1));
	RT_TRY(rt_body_string(ctx, req, "selector", selector));
	return eds_dkim_selector_validate(ctx, *selector);
}

/* A discovered selector may have a check already; this check replaces it, unless DNS failed. */
static rt_status keep_check(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const struct eds_dkim_check *check)
{
	struct eds_selector_due *none;
	struct eds_selector_due due;
	size_t written;
	size_t claimed;

	RT_TRY(eds_store_selector_claim(ctx, store, domain, name, &due));
	eds_outcome_settle(ctx, &due, check);
	return eds_store_selectors_turn(ctx, store, &due, 1, &written, 0, &none, &claimed);
}

struct registration {
	struct eds_domain domain;
	const char *selector;
	const struct eds_selector_check *row;
};

static rt_status make(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct registration *registration = arg;
	const struct eds_domain *domain = &registration->domain;
	const char *selector = registration->selector;
	struct eds_dkim_check check;
	bool discovered;

	RT_TRY(eds_dkim_check_selector(ctx, domain->name, selector, &check));
	registration->row = eds_outcome_row(ctx, &check);
	RT_TRY(eds_store_selector_add(ctx, store, domain, selector, registration->row,
		eds_dkim_next_check_ms(&check, check.checked_at_ms), &discovered));
	return discovered ? keep_check(ctx, store, domain, selector, &check) : RT_OK;
}

static rt_status answer(struct rt_ctx *ctx, void *arg, struct rt_response *res)
{
	const struct registration *registration = arg;
	struct selector_body body;

	rt_response_header(
		res, "etag", selector_etag(ctx, registration->selector, registration->row));
	selector_body_begin(ctx, &body);
	selector_write_check(&body, registration->selector, registration->row);
	return selector_body_respond(ctx, &body, res, 201);
}

static rt_status register_selector(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct registration registration;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &registration.domain));
	RT_TRY(read_selector(ctx, req, &registration.selector));
	return eds_once(ctx, req, store,
		&(struct eds_once){registration.domain.account_id, make, answer, &registration},
		res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, register_selector);
}
