/* Who is calling, and what may they see: the token of `Authorization: Bearer` (RFC 6750 section
 * 2.1) and the domain of the path.
 *
 *     RT_TRY(eds_store_open(ctx, &store));
 *     RT_TRY(eds_auth_domain(ctx, req, store, &domain));
 *
 * Call it before anything of the request is looked at, so that strangers learn nothing. The answer
 * to RT_UNAUTHORISED carries WWW-Authenticate (runtime/event/response.c). What a request that
 * changes something writes goes to the audit log (store/accounts/audit.h) from here on.
 */
#ifndef EDS_AUTH_H
#define EDS_AUTH_H

#include "functions/lib/store/domains/domain.h"
#include "runtime/event/event.h"

/* The token as sent; NULL without a bearer token. Whether it is anybody's is for those below. */
const char *eds_auth_bearer(const struct rt_request *req);

/* RT_UNAUTHORISED "token-missing" without a bearer token, "token-invalid" for one that is
 * malformed, unknown, expired or revoked. RT_FORBIDDEN "token-read-only" for a request that is
 * neither GET nor HEAD with a token that may only read, and "token-domains" for a token of some
 * domains alone. */
RT_MUST_USE rt_status eds_auth_account(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_account *account);

/* The same for what a token of some domains may do as well, and for what asks what it may do;
 * eds_auth_all_domains refuses such a token afterwards. */
RT_MUST_USE rt_status eds_auth_caller(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_account *account, struct eds_token_grant *grant);
RT_MUST_USE rt_status eds_auth_all_domains(struct rt_ctx *ctx, const struct eds_token_grant *grant);

/* The account's domain that the path parameter {id} names. As above, and RT_NOT_FOUND
 * "domain-not-found", byte for byte the same for unknown, malformed, another account's and one that
 * the token is not for. */
RT_MUST_USE rt_status eds_auth_domain(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_domain *domain);

#endif
