/* Due work, shared by any number of processes. Items of a table are claimed in batches, each item
 * with a lease, and outcomes are written while the lease holds. An item whose outcome is not
 * written before its lease ends is due again. Only the files of the store and their tests include
 * this header.
 *
 * The outbox and alert mails keep their leases in columns of their own (outbox-due.c, alert-mail.c,
 * alert-summary.c); all other tables do as follows. A claim stores two times in the row: the end of
 * the lease (leased_until_ms), and the due time for which the lease was taken (leased_due_ms).
 * These columns are in no index, so PostgreSQL writes no index entries for a claim as long as the
 * row's page has room. The claim does not change due_at_ms; the outcome sets due_at_ms to the next
 * due time. If somebody else changes due_at_ms, the lease ends early, because leased_due_ms then
 * differs from due_at_ms. In the index by due_at_ms, claimed items still stand before the items
 * that are not claimed. So a claim first finds the longest due item without a lease, and reads the
 * index from this item on.
 *
 * A lease lasts five minutes at most. If a lease ends more than EDS_DUE_LEASE_MAX_MS from now, it
 * was taken while a clock was fast, perhaps by years. Such a lease is ignored; otherwise nobody
 * could claim the item before the lease ends.
 *
 * Programs of the previous release know only due_at_ms. Their claim sets due_at_ms to the end of
 * their lease, which ends a lease of this release. An outcome that this release writes changes
 * due_at_ms too, which ends their lease.
 *
 * Accounts take turns, so that no account waits for all the items of another: of the items that a
 * claim reads, it takes the first of each account, then the second of each, and so on. A claim
 * reads the longest due items, and the same number of items from a random later time on. So a few
 * claims suffice to find items of other accounts, even if one account has more due items than a
 * claim reads; and each claim reads only a part of a long queue.
 */
#ifndef EDS_STORE_DUE_H
#define EDS_STORE_DUE_H

#include "functions/lib/store/transaction.h"

/* How late items may be before accounts take turns. A claim with turns costs more, because it reads
 * many more items than it takes; so there are no turns while checks keep pace. Even while checks
 * keep pace, an item can be a minute late, if it falls due just after a run of its job has begun
 * and waits for the next run. */
enum { EDS_DUE_LATE_MS = 75 * 1000 };

struct eds_due_kind {
	size_t item_bytes;
	int64_t lease_ms;
	/* An UPDATE that claims the longest due items and returns them. $1 is the end of the lease,
	 * $2 now, $3 the maximum count, $4 the due time that longest_due found. */
	const struct eds_db_statement *claim;
	/* The statement `claim` for databases with concurrent writers: it skips items that another
	 * process claims at the same moment (FOR UPDATE SKIP LOCKED). */
	const struct eds_db_statement *claim_beside;
	/* The statements `claim` and `claim_beside` with turns of accounts: besides the longest due
	 * items, they read items from a random time on. This time is the last value of the
	 * statement: $5, or $6 with left_out. */
	const struct eds_db_statement *claim_turns;
	const struct eds_db_statement *claim_turns_beside;
	/* Gives the due time of the longest due item that nobody has claimed. $1 is now. */
	const struct eds_db_statement *longest_due;
	/* Accounts take turns when the longest due item is late by more than this. Otherwise all
	 * items are claimed in time, and claiming the longest due first costs less. */
	int64_t late_ms;
	/* Ids of accounts whose items are not claimed, "|ID|ID|", or "": $5 of the claims. NULL:
	 * the claims have no such value. */
	const char *left_out;
	/* An UPDATE that gives one item a new lease, even if the item is not due, and returns the
	 * item. $1 is the end of the lease, $2 and $3 are the domain's id and the item's name. */
	const struct eds_db_statement *claim_one;
	void (*read)(struct rt_ctx *ctx, struct eds_db_query *query, void *item);
	/* Writes the outcomes of several items, each only while its lease still holds; *written is
	 * how many were written. */
	rt_status (*write)(struct rt_ctx *ctx, struct eds_store *store, const void *items,
		size_t count, size_t *written);
};

/* clang-format off */
/* The columns that a claim sets. */
#define EDS_DUE_TAKE "leased_until_ms = $1, leased_due_ms = due_at_ms"

/* The columns that an outcome sets: when the item is due next, and the end of its lease. */
#define EDS_DUE_NEXT(time) "due_at_ms = " time ", leased_until_ms = 0"

/* Identifies the lease of an item, in a condition beside the item's key. The expression is a sum so
 * that the database finds the row by its key: for a comparison with due_at_ms alone, the database
 * might use the index by due_at_ms, in which many items may have the same time. */
#define EDS_DUE_LEASE "due_at_ms + leased_until_ms"

/* Longer than any lease, even if the clocks of two machines differ by some minutes. */
#define EDS_DUE_LEASE_MAX_MS "600000"

/* True for an item that is due and has no lease. `of` is "", or the name of the table with a dot:
 * "m.". */
#define EDS_DUE_FREE(of, now) \
	of "due_at_ms <= " now " AND (" of "leased_until_ms <= " now \
	" OR " of "leased_until_ms > " now " + " EDS_DUE_LEASE_MAX_MS \
	" OR " of "leased_due_ms <> " of "due_at_ms)"

/* EDS_DUE_LONGEST is the statement `longest_due` for a table. EDS_DUE_FIRST is the first part of
 * the statement `claim` for a table whose key has the columns `key`. */
#define EDS_DUE_LONGEST(table) \
	"SELECT due_at_ms FROM " table " WHERE " EDS_DUE_FREE("", "$1") \
	" ORDER BY due_at_ms LIMIT 1"
#define EDS_DUE_FIRST(table, key, lock) \
	"WITH due AS (SELECT " key " FROM " table " WHERE " EDS_DUE_FREE("", "$2") \
	" AND due_at_ms >= $4 ORDER BY due_at_ms LIMIT $3" lock ") "

/* EDS_DUE_TURNS is the first part of the statement `claim_turns`, and contains EDS_DUE_SEEN twice.
 * The table's key is domain_id and perhaps another column, which `key`, `m_key` and `same` name,
 * for example ", name", ", m.name" and " AND m.name = t.name". The claim reads 2 × `times` × $3
 * items at most. It locks only rows of m, and checks again whether they are free, because another
 * process may have claimed them after they were read. */
#define EDS_DUE_SEEN(table, key, times, since) \
	"(SELECT domain_id" key ", due_at_ms FROM " table " WHERE " EDS_DUE_FREE("", "$2") \
	" AND due_at_ms >= " since " ORDER BY due_at_ms LIMIT " times " * CAST($3 AS BIGINT))"
#define EDS_DUE_TURNS(table, key, m_key, same, times, lock) \
	"WITH longest AS " EDS_DUE_SEEN(table, key, times, "$4") "," \
	" later AS " EDS_DUE_SEEN(table, key, times, \
		"$5 AND due_at_ms >= (SELECT max(due_at_ms) FROM longest)") "," \
	" seen AS (SELECT * FROM longest UNION SELECT * FROM later)," \
	" turns AS (SELECT s.*, row_number() OVER (PARTITION BY d.account_id ORDER BY" \
	" s.due_at_ms) AS turn FROM seen s JOIN domains d ON d.id = s.domain_id)," \
	" due AS (SELECT m.domain_id" m_key " FROM (SELECT * FROM turns ORDER BY turn, due_at_ms" \
	" LIMIT 8 * CAST($3 AS BIGINT)) t JOIN " table \
	" m ON m.domain_id = t.domain_id" same " WHERE " EDS_DUE_FREE("m.", "$2") \
	" ORDER BY t.turn, t.due_at_ms LIMIT $3" lock ") "
/* clang-format on */

/* In one transaction, writes the outcomes of the items `done`, and claims at most `max` (0: none)
 * items. The claimed items live in ctx's memory; there are none when nothing is due, or when other
 * processes are claiming all due items. */
RT_MUST_USE rt_status eds_store_due_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const void *done, size_t done_count, size_t *written,
	size_t max, void **claimed, size_t *claimed_count);

/* Claims this item, due or not. If another process is checking the item at that moment, that
 * process can no longer write its outcome. name: NULL when the items are domains. *found is false
 * when there is no such item. */
RT_MUST_USE rt_status eds_store_due_claim_one(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const char *domain_id, const char *name, void *item,
	bool *found);

#endif
