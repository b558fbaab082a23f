/* The domains that an account monitors. A name is unique within its account; several accounts may
 * hold it. What hangs on a domain refers to domains (id) ON DELETE CASCADE, and goes with it.
 */
#ifndef EDS_STORE_DOMAIN_H
#define EDS_STORE_DOMAIN_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/listing.h"

/* What the latest look at a domain saw (posture.h). */
struct eds_posture_kept {
	const char *state;     /* "ok", "unknown", "warning", "error" */
	int64_t checked_at_ms; /* 0: never, and nothing else here counts */
	int64_t changed_at_ms;
	const char *items; /* JSON arrays */
	const char *records;
};

struct eds_domain {
	const char *id; /* UUIDv7 */
	const char *account_id;
	const char *name; /* lower case, A-labels, no final dot */
	int64_t created_at_ms;
	enum eds_plan plan;              /* of its account */
	struct eds_posture_kept posture; /* of a list, but for the items */
};

/* Which domains, in which order; all by name where nothing is set. */
struct eds_domain_query {
	enum eds_order order;
	const struct eds_domain *after; /* that the page begins behind: by its name, or by its time
					   and id; it may have gone since. NULL: from the start */
	int limit;                      /* 0: all */
	const char *state;              /* of the posture; NULL: any */
	const char *part;               /* of the name, in lower case; NULL: any name */

	/* Of a name with A-labels that has not the part: whether it is wanted all the same, for
	 * what its U-labels are. NULL: it is not. */
	bool (*also)(struct rt_ctx *ctx, const char *name, const void *arg);
	const void *arg;
};

/* For mail, which has no token: the domain of this id, whose ever it is; and an account's domain of
 * this name, in its own form. RT_NOT_FOUND "domain-not-found". */
RT_MUST_USE rt_status eds_store_domain_find(
	struct rt_ctx *ctx, struct eds_store *store, const char *id, struct eds_domain *domain);
RT_MUST_USE rt_status eds_store_domain_named(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, const char *name, struct eds_domain *domain);

/* How many accounts have domains, most at most. */
RT_MUST_USE rt_status eds_store_accounts_with_domains(
	struct rt_ctx *ctx, struct eds_store *store, size_t most, size_t *count);

/* The one sentence for a domain that is unknown, malformed or another account's: always the same
 * bytes, so that nobody learns which. */
RT_MUST_USE rt_status eds_store_no_domain(struct rt_ctx *ctx);

#endif
