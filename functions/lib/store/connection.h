/* The connection of the process to its database, and how a driver's result becomes a failure. Only
 * the files of this folder include it. */
#ifndef EDS_STORE_CONNECTION_H
#define EDS_STORE_CONNECTION_H

#include "functions/lib/store/db/db.h"

enum {
	EDS_STORE_UPGRADE_RETRY_S =
		5, /* after which a database that is not migrated is tried again */
};

struct eds_audit_entry;

struct eds_store {
	struct eds_db *db;
	int64_t migrated_until_ms; /* the schema was seen to fit this program; monotonic */
	bool again; /* a statement of the transaction under way answered EDS_DB_BUSY */
	/* of the next transaction that writes; NULL for none (eds_store_check_first) */
	rt_status (*check)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
	void *check_arg;
	/* the same, behind what it writes */
	rt_status (*also)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
	void *also_arg;
	struct eds_audit_entry *entry; /* that the next transaction writes; NULL for none */
};

/* The connection of the process, whatever its schema; with create also to a database that does not
 * exist yet. Opened anew when it is no longer usable. */
RT_MUST_USE rt_status eds_store_connect(struct rt_ctx *ctx, bool create, struct eds_store **store);

/* A driver's failure as a failure of the event: RT_TEMPORARY "store-unavailable", or RT_INTERNAL
 * "store-failed" for what only our own mistake can cause. */
RT_MUST_USE rt_status eds_store_failed(
	struct rt_ctx *ctx, struct eds_store *store, enum eds_db_result result);

#endif
