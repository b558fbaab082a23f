/* Due work, shared by any number of processes. Items of a table are claimed in batches, each item
 * with a lease, and outcomes are written while the lease holds. An item whose outcome is not
 * written before its lease ends is due again. Only the files of this folder include it.
 *
 * The end of the lease is stored in due_at_ms, which has an index. Many items may share one time,
 * so a statement that writes under a lease says due_at_ms + 0 = $4: this keeps the database from
 * using that index instead of the key.
 *
 * Accounts take turns, so that no account waits for all the items of another: of the items that a
 * claim reads, it takes the first of each account, then the second of each. A claim reads the
 * longest due items, and as many from a random later time on. So an account with more due items
 * than a claim reads delays others by a few claims at most, and a claim never reads more than that
 * of a long queue.
 */
#ifndef EDS_STORE_DUE_H
#define EDS_STORE_DUE_H

#include "functions/lib/store/transaction.h"

struct eds_due_kind {
	size_t item_bytes;
	int64_t lease_ms;
	/* $1 the end of the lease, $2 now, $3 the maximum count: an UPDATE that claims the longest
	 * due first and returns them. */
	const struct eds_db_statement *claim;
	/* The same for databases with concurrent writers: it skips items that another process
	 * claims at the same moment (FOR UPDATE SKIP LOCKED). */
	const struct eds_db_statement *claim_beside;
	/* Claims with accounts taking turns, $4 a time since which items are due; and the same for
	 * concurrent writers. */
	const struct eds_db_statement *claim_turns;
	const struct eds_db_statement *claim_turns_beside;
	/* $1 now: the due time of the longest due item. */
	const struct eds_db_statement *longest_due;
	/* Accounts take turns when an item is late by more than this. Otherwise all items are
	 * claimed in time, and claiming the longest due first costs less. */
	int64_t late_ms;
	/* $1 the end of the lease, $2 and $3 the domain's id and the item's name: an UPDATE that
	 * gives this item a new lease, due or not, and returns it. */
	const struct eds_db_statement *claim_one;
	void (*read)(struct rt_ctx *ctx, struct eds_db_query *query, void *item);
	/* Writes the outcomes of several items, each only while its lease still holds. *written:
	 * how many were written. */
	rt_status (*write)(struct rt_ctx *ctx, struct eds_store *store, const void *items,
		size_t count, size_t *written);
};

/* A claim with turns, for a table whose key is domain_id and the columns in `key` and `same`, for
 * example ", name" and " AND m.name = t.name". It reads 2 × `times` × $3 items. Only rows of m are
 * locked, and due_at_ms is checked again there, because another process may have claimed the row
 * meanwhile. */
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

/* Writes the outcomes of done and claims at most max (0: none) items in one transaction. The
 * claimed items live in ctx's memory; there are none when all due items are being claimed by
 * others. */
RT_MUST_USE rt_status eds_store_due_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const void *done, size_t done_count, size_t *written,
	size_t max, void **claimed, size_t *claimed_count);

/* Claims this item; the outcome of a check that runs elsewhere is then not written. name: NULL when
 * the items are domains. *found is false when there is no such item. */
RT_MUST_USE rt_status eds_store_due_claim_one(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const char *domain_id, const char *name, void *item,
	bool *found);

#endif
