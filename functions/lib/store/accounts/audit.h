/* The log of changes to an account over the API. Each request that changes something, except the
 * requests about test sessions, gets one entry, written in its first transaction, so the entry
 * exists exactly when the change is committed.
 *
 * functions/lib/auth says who asks for a change (eds_store_audit_begin), and the next transaction
 * that writes also writes the entry. The functions that make the changes do nothing for the log, so
 * none of them can forget the entry.
 */
#ifndef EDS_STORE_AUDIT_H
#define EDS_STORE_AUDIT_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/accounts/audit-entry.h"

#define EDS_AUDIT_KEPT_MS (INT64_C(180) * 24 * 3600 * 1000)

enum {
	EDS_AUDIT_DAYS = 180, /* how long entries are listed and kept */
	/* The maximum number of entries kept per account. Entries beyond this number are removed
	 * every hour and, at random, when a new entry is written. */
	EDS_AUDIT_ACCOUNT_MAX = 10000,
	EDS_AUDIT_EXPIRE_BATCH = 500, /* maximum number of entries removed in one transaction */
	EDS_AUDIT_TRIM_EVERY = 128,   /* average number of new entries of an account between two
				       * calls that count its entries and remove those beyond the
				       * maximum */
};

/* Announces that the event of ctx asks for a change. The next transaction that the event commits
 * writes the entry; later ones do not. This function sets id and at_ms; the texts must live as long
 * as the event. */
void eds_store_audit_begin(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_audit_entry *entry);

/* Lists the entries of the last 180 days, newest first, that are older than the entry with the id
 * `after` (NULL: from the newest on); at most `limit` of them (0: all). */
RT_MUST_USE rt_status eds_store_audit_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *after, int limit,
	struct eds_audit_entry **entries, size_t *count);

/* Removes entries older than 180 days, EDS_AUDIT_EXPIRE_BATCH at most. */
RT_MUST_USE rt_status eds_store_audit_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* In one of EDS_AUDIT_TRIM_EVERY calls, by chance, removes entries of this account beyond
 * EDS_AUDIT_ACCOUNT_MAX, EDS_AUDIT_EXPIRE_BATCH at most. Without this function, an account that
 * makes hundreds of changes in a second could fill the disk before the hourly run, and leave more
 * entries than the run can remove in its time. To be called within the transaction that writes an
 * entry. */
RT_MUST_USE rt_status eds_store_audit_trim_sometimes(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id);

/* Finds one account with more than account_max entries, and removes entries beyond that number,
 * EDS_AUDIT_EXPIRE_BATCH at most: the oldest entries of the tokens that have the largest numbers of
 * entries. */
RT_MUST_USE rt_status eds_store_audit_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t account_max, size_t *removed);

#endif
