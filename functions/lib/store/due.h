/* Work that is due, done by any number of processes at once: items of a table are claimed in
 * batches, each with a lease, and what came of them is written under it. An item that nobody wrote
 * before its lease was over is due again. Only the files of this folder include it.
 *
 * The end of the lease is the time that the index by due times is made of. Many items may share
 * one, so a statement that writes under a lease says due_at_ms + 0 = $4, lest it be looked for by
 * by that index and not by its key.
 *
 * Accounts take turns, so that nobody waits for all the items of another one: of those that a claim
 * has seen, the first of each account, then the second of each. It sees the longest due, and as
 * many from some later moment on, chosen by chance: whoever has more due than a claim can see hides
 * those of others for a few claims at most, and none reads more than that of a long list.
 */
#ifndef EDS_STORE_DUE_H
#define EDS_STORE_DUE_H

#include "functions/lib/store/transaction.h"

struct eds_due_kind {
	size_t item_bytes;
	int64_t lease_ms;
	/* $1 the end of the lease, $2 now, $3 how many at most: an UPDATE that takes the longest
	 * due first and returns them. */
	const struct eds_db_statement *claim;
	/* The same where several transactions write at once: it passes over what another process
	 * claims at the same moment (FOR UPDATE SKIP LOCKED). */
	const struct eds_db_statement *claim_beside;
	/* By turns of the accounts, $4 a time when some were due; and the same beside others. */
	const struct eds_db_statement *claim_turns;
	const struct eds_db_statement *claim_turns_beside;
	/* $1 now: the time of the longest due. */
	const struct eds_db_statement *longest_due;
	/* Turns are taken when one is late by more than this: else all are claimed in time, and the
	 * claim of the longest due costs less. */
	int64_t late_ms;
	/* $1 the end of the lease, $2 and $3 the domain's id and the item's name: an UPDATE of that
	 * one, due or not, which makes its lease another one, and returns it. */
	const struct eds_db_statement *claim_one;
	void (*read)(struct rt_ctx *ctx, struct eds_db_query *query, void *item);
	/* Writes the outcomes of several, each where the lease is still the item's. *written: of
	 * how many it was. */
	rt_status (*write)(struct rt_ctx *ctx, struct eds_store *store, const void *items,
		size_t count, size_t *written);
};

/* A claim by turns of a table whose key is domain_id and what `key` and `same` name besides, as
 * ", name" and " AND m.name = t.name": it sees $3 `times` two. Of m alone a row is locked: that
 * nobody else has claimed it is looked at again then. */
#define EDS_DUE_TURNS(table, key, m_key, same, times, lock)                                        \
	"WITH seen AS (SELECT * FROM (SELECT domain_id" key ", due_at_ms FROM " table              \
	" WHERE due_at_ms <= $2 ORDER BY due_at_ms LIMIT " times " * CAST($3 AS BIGINT)) AS"       \
	" longest UNION SELECT * FROM (SELECT domain_id" key ", due_at_ms FROM " table             \
	" WHERE due_at_ms <= $2 AND due_at_ms >= $4 ORDER BY due_at_ms LIMIT " times               \
	" * CAST($3 AS BIGINT)) AS later),"                                                        \
	" turns AS (SELECT s.*, row_number() OVER (PARTITION BY d.account_id ORDER BY"             \
	" s.due_at_ms) AS turn FROM seen s JOIN domains d ON d.id = s.domain_id),"                 \
	" due AS (SELECT m.domain_id" m_key " FROM turns t JOIN " table                            \
	" m ON m.domain_id = t.domain_id" same                                                     \
	" WHERE m.due_at_ms <= $2 ORDER BY t.turn, t.due_at_ms LIMIT $3" lock ") "

/* Writes the outcomes of done and claims at most max (0: none) in one transaction. The claimed live
 * in ctx's memory; none where nothing is due but what others claim at this moment. */
RT_MUST_USE rt_status eds_store_due_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const void *done, size_t done_count, size_t *written,
	size_t max, void **claimed, size_t *claimed_count);

/* Claims this one; a check of it that is under way elsewhere is not written any more. name: NULL
 * where domains are the items. *found is false where there is none. */
RT_MUST_USE rt_status eds_store_due_claim_one(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const char *domain_id, const char *name, void *item,
	bool *found);

#endif
