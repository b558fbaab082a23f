/* Creates and deletes domains. */
#ifndef EDS_STORE_DOMAIN_LIFE_H
#define EDS_STORE_DOMAIN_LIFE_H

#include "functions/lib/store/domains/domain.h"

/* Creates a domain. RT_CONFLICT "domain-exists" when the account has this name already;
 * RT_FORBIDDEN "domain-limit" when the account has as many domains as its plan allows; RT_LIMIT
 * "too-many-domains" when the account has created as many domains in this hour as its plan allows.
 */
RT_MUST_USE rt_status eds_store_domain_create(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *name, struct eds_domain *domain);

/* Deletes the domain and the rows that refer to it. Digests of its policy ids stay
 * (mta-sts-claim.h), as does what the audit log says of it. RT_NOT_FOUND "domain-not-found" when
 * another request deleted it first. */
RT_MUST_USE rt_status eds_store_domain_delete(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain);

#endif
