/* The log of who changed what of an account over the API: an entry for each request that did,
 * written in its first transaction and so exactly when that is committed.
 *
 * functions/lib/auth says who asks for a change (eds_store_audit_begin), transactions write it
 * down; a function has no part in it, so none can forget it.
 */
#ifndef EDS_STORE_AUDIT_H
#define EDS_STORE_AUDIT_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/accounts/audit-entry.h"

#define EDS_AUDIT_KEPT_MS (INT64_C(180) * 24 * 3600 * 1000)

enum {
	EDS_AUDIT_DAYS = 180,
	EDS_AUDIT_ACCOUNT_MAX = 10000, /* of an account are kept; the hourly run removes others */
	EDS_AUDIT_EXPIRE_BATCH = 500,  /* forgotten in a transaction */
};

/* The event that ctx is of asks for a change: the next transaction that it commits, and no later
 * one, writes the entry. id and at_ms are made here; the texts must live as long as the event. */
void eds_store_audit_begin(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_audit_entry *entry);

/* The entries of 180 days, newest first: those older than the one of the id `after` (NULL: from the
 * newest on), limit at most (0: all). */
RT_MUST_USE rt_status eds_store_audit_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *after, int limit,
	struct eds_audit_entry **entries, size_t *count);

/* Forgets entries of more than 180 days, a batch at most. */
RT_MUST_USE rt_status eds_store_audit_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* Forgets the oldest of an account that has more than so many, a batch at most. */
RT_MUST_USE rt_status eds_store_audit_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t account_max, size_t *removed);

#endif
