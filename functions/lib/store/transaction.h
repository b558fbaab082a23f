/* What the subject files of the store share: the connection, transactions, and how a driver's
 * result becomes a failure. Only the files of this folder include it.
 */
#ifndef EDS_STORE_TRANSACTION_H
#define EDS_STORE_TRANSACTION_H

#include "functions/lib/store/db.h"
#include "functions/lib/store/store.h"

struct eds_store {
	struct eds_db *db;
	int64_t migrated_until_ms; /* the schema was seen to be this program's; monotonic */
	bool again; /* a statement of the transaction under way answered EDS_DB_BUSY */
};

/* The connection of the process, whatever its schema; with create also to a database that does not
 * exist yet. Opened anew when it is no longer usable. */
RT_MUST_USE rt_status eds_store_connect(struct rt_ctx *ctx, bool create, struct eds_store **store);

/* A driver's failure as a failure of the event: RT_TEMPORARY "store-unavailable", or RT_INTERNAL
 * "store-failed" for what only our own mistake can cause. */
RT_MUST_USE rt_status eds_store_failed(
	struct rt_ctx *ctx, struct eds_store *store, enum eds_db_result result);

/* Runs body in a transaction: committed when it returns RT_OK, else rolled back. body may run
 * several times, so it must not change what it starts from. */
typedef rt_status (*eds_store_body)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
RT_MUST_USE rt_status eds_store_write(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg);

/* The same for statements that each guard themselves, by the lease or the key they name, whatever
 * is committed between them. Where many processes do the same at once it is the only one that gets
 * on: serialisable, all but one of them would begin again, and again. */
RT_MUST_USE rt_status eds_store_write_guarded(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg);

/* An array of rows that grows in the event's memory: room for one more behind count. */
void *eds_store_grow(struct rt_ctx *ctx, void *rows, size_t count, size_t *room, size_t row_bytes);

/* The version of the schema that the database has, 0 without any. */
RT_MUST_USE rt_status eds_store_version(
	struct rt_ctx *ctx, struct eds_store *store, int64_t *version);
/* The version that this program knows. */
int64_t eds_store_version_known(void);

#endif
