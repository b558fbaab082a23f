#include "functions/lib/auth/auth.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/auth/token.h"

enum {
	UUID_LENGTH = 36,
};

/* The scheme is compared without case (RFC 9110 section 11.1). NULL without a bearer token. */
static const char *bearer_token(const struct rt_request *req)
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
	const char *token = bearer_token(req);

	if (token == NULL)
		return rt_fail(ctx, RT_UNAUTHORISED, "token-missing",
			"the request needs a token: Authorization: Bearer <API_TOKEN>");
	if (!eds_token_well_formed(token))
		return rt_fail(ctx, RT_UNAUTHORISED, "token-invalid",
			"the token is unknown, expired or revoked");
	*digest = eds_token_digest(ctx, token);
	return RT_OK;
}

/* RFC 9562 section 4; hexadecimal digits may be upper case on input. */
static bool is_uuid(const char *id)
{
	if (strlen(id) != UUID_LENGTH)
		return false;
	for (int i = 0; i < UUID_LENGTH; i++) {
		bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;

		if (hyphen ? id[i] != '-' : strchr("0123456789abcdefABCDEF", id[i]) == NULL)
			return false;
	}
	return true;
}

rt_status eds_auth_account(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_account *account)
{
	const char *digest;

	RT_TRY(read_token(ctx, req, &digest));
	return eds_store_token_account(ctx, store, digest, account);
}

/* A malformed id goes to the database as none: the token comes first in every case. */
rt_status eds_auth_domain(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	struct eds_domain *domain)
{
	const char *id = rt_request_param(req, "id");
	const char *digest;

	RT_TRY(read_token(ctx, req, &digest));
	id = id != NULL && is_uuid(id) ? rt_lower(ctx, id) : "";
	return eds_store_token_domain(ctx, store, digest, id, domain);
}
