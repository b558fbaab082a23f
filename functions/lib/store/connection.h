/* The process's connection to its database, and the conversion of a driver's result to a failure.
 * Only the files of the store and their tests include this header. */
#ifndef EDS_STORE_CONNECTION_H
#define EDS_STORE_CONNECTION_H

#include "functions/lib/store/db/db.h"

enum {
	EDS_STORE_UPGRADE_RETRY_S = 5, /* Retry-After in seconds for a database that is not migrated
					* yet */
};

struct eds_audit_entry;

struct eds_store {
	struct eds_db *db;
	int64_t migrated_until_ms; /* until when the schema counts as checked, on the monotonic
				    * clock */
	bool again;                /* a statement of the running transaction returned EDS_DB_BUSY */
	/* NULL for none (eds_store_check_first) */
	rt_status (*check)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
	void *check_arg;
	/* NULL for none (eds_store_also) */
	rt_status (*also)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
	void *also_arg;
	struct eds_audit_entry *entry; /* entry of the audit log that the next transaction writes;
					* NULL for none */
};

/* Sets *store to the process's connection, without checking the schema; with `create`, also creates
 * a missing SQLite database. Opens a new connection when the old one is no longer usable. */
RT_MUST_USE rt_status eds_store_connect(struct rt_ctx *ctx, bool create, struct eds_store **store);

/* Turns a driver's failure into a failure of the event: RT_TEMPORARY "store-unavailable";
 * RT_TEMPORARY "store-not-migrated" when there is no database; RT_INTERNAL "store-failed" for a
 * failure that only a mistake of ours can cause. */
RT_MUST_USE rt_status eds_store_failed(
	struct rt_ctx *ctx, struct eds_store *store, enum eds_db_result result);

#endif
