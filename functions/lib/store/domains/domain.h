/* The domains that an account monitors. A name is unique within its account; several accounts may
 * have the same name. Tables about a domain refer to domains (id) ON DELETE CASCADE, so their rows
 * are deleted with the domain.
 */
#ifndef EDS_STORE_DOMAIN_H
#define EDS_STORE_DOMAIN_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/listing.h"

/* The result of the latest posture check of a domain (posture.h). */
struct eds_posture_kept {
	const char *state;     /* state of the domain's posture: "ok", "unknown", "warning",
				* "error" */
	int64_t checked_at_ms; /* time of the check; 0 when there was none, and the other members
				* then have no meaning */
	int64_t changed_at_ms;
	const char *items;   /* the items, a JSON array */
	const char *records; /* the records that direct reports to this service, a JSON array */
};

struct eds_domain {
	const char *id; /* UUIDv7 */
	const char *account_id;
	const char *name; /* name in lower case, as A-labels without a trailing dot */
	int64_t created_at_ms;
	enum eds_plan plan;              /* plan of the account */
	struct eds_posture_kept posture; /* the stored posture; eds_store_domain_list() sets it
					  * without items, the functions below do not set it */
};

/* Selects and orders domains; all domains by name when nothing is set. */
struct eds_domain_query {
	enum eds_order order;
	/* The page begins after this domain, by its name, or by its time and id; this domain may
	 * have been deleted since. NULL: from the start. */
	const struct eds_domain *after;
	int limit;         /* maximum number of domains to list; 0 for all */
	const char *state; /* only domains in this posture state; NULL for any */
	const char *part;  /* only domains whose name contains this text, in lower case; NULL for
			    * any name */

	/* Called for a name with A-labels that does not contain `part`. Returns whether the
	 * U-labels of the name contain `part`. NULL: such names do not match. */
	bool (*also)(struct rt_ctx *ctx, const char *name, const void *arg);
	const void *arg;
};

/* Find a domain for code that has no token of an account, such as the code that receives mail.
 * eds_store_domain_find() finds the domain with this id, of any account. eds_store_domain_named()
 * finds the account's domain of this name; the name is in lower case and has A-labels. RT_NOT_FOUND
 * "domain-not-found". */
RT_MUST_USE rt_status eds_store_domain_find(
	struct rt_ctx *ctx, struct eds_store *store, const char *id, struct eds_domain *domain);
RT_MUST_USE rt_status eds_store_domain_named(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, const char *name, struct eds_domain *domain);

/* Counts the accounts that have domains, at most `most` of them. */
RT_MUST_USE rt_status eds_store_accounts_with_domains(
	struct rt_ctx *ctx, struct eds_store *store, size_t most, size_t *count);

/* The failure for a domain that is unknown, malformed or of another account: always the same bytes,
 * so that nobody learns which of the three it is. */
RT_MUST_USE rt_status eds_store_no_domain(struct rt_ctx *ctx);

#endif
