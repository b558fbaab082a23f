/* domains-create: POST /api/v1/domains
 *
 * in    {"name": "example.com"}, in U-labels or A-labels
 * out   201 {"data": {id, name, createdAt, reportAddress, expectedRecords}} with Location
 * err   400 name-invalid, field-invalid, field-unknown; 401; 409 domain-exists; 413; 415
 */
#include <string.h>

#include "functions/domains/domain-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/mail/from.h"
#include "runtime/handler.h"

static rt_status name_invalid(struct rt_ctx *ctx)
{
	rt_fail_field(
		ctx, "name", "two labels or more, of letters, digits and hyphens, are required");
	return rt_fail(ctx, RT_BAD_INPUT, "name-invalid",
		"name must be a mail domain like example.com: labels of letters, digits and "
		"hyphens, 253 octets at most");
}

/* Mail domains have no underscore (RFC 5321 section 4.1.2), and a single label is a top-level
 * domain or a host of somebody's own network. */
static rt_status validate(struct rt_ctx *ctx, const char *given, const char **name)
{
	*name = eds_domain_normalize(ctx, given, strlen(given));
	if (*name == NULL || strchr(*name, '_') != NULL || strchr(*name, '.') == NULL)
		return name_invalid(ctx);
	return RT_OK;
}

static rt_status create_domain(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	static const char *const fields[] = {"name"};
	struct eds_account account;
	struct eds_domain domain;
	struct eds_store *store;
	const char *name;
	json_t *body;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_account(ctx, req, store, &account));
	RT_TRY(rt_body_object(ctx, req, &body));
	RT_TRY(rt_body_only(ctx, body, fields, 1));
	RT_TRY(rt_body_string(ctx, req, "name", &name));
	RT_TRY(validate(ctx, name, &name));
	RT_TRY(eds_store_domain_create(ctx, store, &account, name, &domain));
	rt_response_header(res, "location", rt_printf(ctx, "/api/v1/domains/%s", domain.id));
	return rt_respond_data(ctx, res, 201, eds_domain_json(ctx, &domain));
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, create_domain);
}
