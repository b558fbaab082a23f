/* Domains made and deleted. */
#ifndef EDS_STORE_DOMAIN_LIFE_H
#define EDS_STORE_DOMAIN_LIFE_H

#include "functions/lib/store/domains/domain.h"

/* RT_CONFLICT "domain-exists" when the account holds this name already; RT_FORBIDDEN "domain-limit"
 * when it has as many as its plan allows. */
RT_MUST_USE rt_status eds_store_domain_create(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *name, struct eds_domain *domain);

/* With all that hangs on it. RT_NOT_FOUND "domain-not-found" when somebody else was first. */
RT_MUST_USE rt_status eds_store_domain_delete(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain);

#endif
