/* Authenticates the caller and checks what the caller may access: the token of `Authorization:
 * Bearer` (RFC 6750 section 2.1) and the domain in the path.
 *
 *     RT_TRY(eds_store_open(ctx, &store));
 *     RT_TRY(eds_auth_domain(ctx, req, store, &domain));
 *
 * Call one of these functions before any other use of the request, so that callers without a token
 * learn nothing. The response to RT_UNAUTHORIZED has WWW-Authenticate (runtime/event/response.c).
 * For a request that changes something in an account, the functions also start the entry in the
 * audit log (store/accounts/audit.h).
 */
#ifndef EDS_AUTH_H
#define EDS_AUTH_H

#include "functions/lib/store/domains/domain.h"
#include "runtime/event/event.h"

/* The token as sent; NULL without a bearer token. The functions below check whether it is valid. */
const char *eds_auth_bearer(const struct rt_request *req);

/* Finds the account of the token. Fails with
 * - RT_UNAUTHORIZED "token-missing" when the request has no bearer token,
 * - RT_UNAUTHORIZED "token-invalid" when the token is malformed, unknown, expired or revoked,
 * - RT_FORBIDDEN "token-read-only" when a read-only token comes with a method other than GET and
 *   HEAD,
 * - RT_FORBIDDEN "token-domains" when the token is limited to some domains. */
RT_MUST_USE rt_status eds_auth_account(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_account *account);

/* Finds the account of the token, with the errors of eds_auth_account() except "token-domains": a
 * token that is limited to some domains is accepted, and grant->some_domains says that it is
 * limited. A caller that learns only later that it needs all domains then calls
 * eds_auth_all_domains(), which fails with "token-domains" for such a token. */
RT_MUST_USE rt_status eds_auth_caller(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_account *account, struct eds_token_grant *grant);
RT_MUST_USE rt_status eds_auth_all_domains(struct rt_ctx *ctx, const struct eds_token_grant *grant);

/* The account's domain named by the path parameter {id}. Fails with RT_UNAUTHORIZED and
 * "token-read-only" as eds_auth_account() does. Fails with RT_NOT_FOUND "domain-not-found" for an
 * unknown or malformed id, a domain of another account, and a domain outside the token's grant; the
 * response is the same in all four cases. */
RT_MUST_USE rt_status eds_auth_domain(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_domain *domain);

#endif
