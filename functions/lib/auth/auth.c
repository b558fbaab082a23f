#include "functions/lib/auth/auth.h"
#include "functions/lib/store/tokens/token.h"
#include "runtime/event/event-http.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/auth/action.h"
#include "functions/lib/auth/token.h"
#include "functions/lib/store/accounts/audit.h"

/* Compares the scheme without regard to case (RFC 9110 section 11.1). */
const char *eds_auth_bearer(const struct rt_request *req)
{
	static const char scheme[] = "Bearer ";
	const char *field = rt_request_header(req, "authorization");

	if (field == NULL || strncasecmp(field, scheme, sizeof scheme - 1) != 0)
		return NULL;
	field += sizeof scheme - 1;
	return field + strspn(field, " ");
}

static rt_status read_token(struct rt_ctx *ctx, const struct rt_request *req, const char **digest)
{
	const char *token = eds_auth_bearer(req);

	if (token == NULL)
		return rt_fail(ctx, RT_UNAUTHORIZED, "token-missing",
			"the request needs a token: Authorization: Bearer <API_TOKEN>");
	if (!eds_token_well_formed(token))
		return rt_fail(ctx, RT_UNAUTHORIZED, "token-invalid",
			"the token is unknown, expired or revoked");
	*digest = eds_token_digest(ctx, token);
	return RT_OK;
}

/* True for GET and HEAD (RFC 9110 section 9.2.1). A request with any other method counts as a
 * change, even if it only runs a check and stores the result. */
static bool only_reads(const struct rt_request *req)
{
	return strcmp(req->method, "GET") == 0 || strcmp(req->method, "HEAD") == 0;
}

/* Checks here, before a function handles the request, whether the token permits it, so that no
 * function can forget the check. */
static rt_status check_access(
	struct rt_ctx *ctx, const struct rt_request *req, const struct eds_token_grant *grant)
{
	if (!grant->read_only || only_reads(req))
		return RT_OK;
	rt_fail_clear(ctx);
	return rt_fail(ctx, RT_FORBIDDEN, "token-read-only", "this token may only read");
}

/* The selector, alert, reporter or token that the path names; NULL if it names none. */
static const char *subject_of(const struct rt_request *req)
{
	for (const struct rt_field *param = req->path_params; param != NULL; param = param->next)
		if (strcmp(param->name, "id") != 0 && strcmp(param->name, "deliveryId") != 0)
			return param->value;
	return NULL;
}

/* Starts the entry in the audit log here, so that no function can forget it. Test sessions are left
 * out: they change nothing in the account, and a pipeline that tests all day would fill the log. */
static void note_change(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	const struct eds_token_grant *grant, const char *account_id, const char *domain_name)
{
	static const char tester[] = "/api/inbound-tester/";

	if (only_reads(req) || strncmp(req->path, tester, sizeof tester - 1) == 0)
		return;
	eds_store_audit_begin(ctx, store,
		&(struct eds_audit_entry){
			.account_id = account_id,
			.token_id = grant->id,
			.token_name = grant->name,
			.action = eds_action_name(ctx, req),
			.domain = domain_name,
			.subject = subject_of(req),
		});
}

rt_status eds_auth_all_domains(struct rt_ctx *ctx, const struct eds_token_grant *grant)
{
	if (!grant->some_domains)
		return RT_OK;
	return rt_fail(ctx, RT_FORBIDDEN, "token-domains",
		"this token is limited to some domains of the account");
}

rt_status eds_auth_caller(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	struct eds_account *account, struct eds_token_grant *grant)
{
	const char *digest;

	RT_TRY(read_token(ctx, req, &digest));
	RT_TRY(eds_store_token_account(ctx, store, digest, account, grant));
	RT_TRY(check_access(ctx, req, grant));
	note_change(ctx, req, store, grant, account->id, NULL);
	return RT_OK;
}

rt_status eds_auth_account(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_account *account)
{
	struct eds_token_grant grant;

	RT_TRY(eds_auth_caller(ctx, req, store, account, &grant));
	return eds_auth_all_domains(ctx, &grant);
}

/* Treats a malformed id as unknown, so that the token is checked first in every case. The
 * hexadecimal digits of an id may be in upper case on input (RFC 9562 section 4). */
rt_status eds_auth_domain(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	struct eds_domain *domain)
{
	const char *id = rt_request_param(req, "id");
	struct eds_token_grant grant;
	const char *digest;
	rt_status status;

	RT_TRY(read_token(ctx, req, &digest));
	status = eds_store_token_domain(
		ctx, store, digest, id != NULL ? rt_lower(ctx, id) : "", domain, &grant);
	if (status == RT_OK || status == RT_NOT_FOUND)
		RT_TRY(check_access(ctx, req, &grant));
	if (status == RT_OK)
		note_change(ctx, req, store, &grant, domain->account_id, domain->name);
	return status;
}
