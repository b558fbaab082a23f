/* What the subject files of the store share: the connection, transactions, and how a driver's
 * result becomes a failure. Only the files of this folder include it.
 */
#ifndef EDS_STORE_TRANSACTION_H
#define EDS_STORE_TRANSACTION_H

#include "functions/lib/store/db/db.h"
#include "functions/lib/store/store.h"

struct eds_audit_entry;

struct eds_store {
	struct eds_db *db;
	int64_t migrated_until_ms; /* the schema was seen to fit this program; monotonic */
	bool again;            /* a statement of the transaction under way answered EDS_DB_BUSY */
	eds_store_check check; /* of the next transaction that writes; NULL for none */
	void *check_arg;
	eds_store_check also; /* the same, behind what it writes */
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

/* Runs body in a transaction: committed when it returns RT_OK, else rolled back. body may run
 * several times, so it must not change what it starts from. Where a request changes nothing after
 * all, body fails, or a change would be written to the audit log. */
typedef rt_status (*eds_store_body)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
RT_MUST_USE rt_status eds_store_write(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg);

/* The same for statements that each guard themselves, by the lease or the key they name, whatever
 * is committed between them. Where many processes do the same at once it is the only one that gets
 * on: serialisable, all but one of them would begin again, and again. */
RT_MUST_USE rt_status eds_store_write_guarded(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg);

/* The same for up to EDS_DB_STEPS_MAX statements that are all known beforehand: one message to the
 * database. changed: rows of the last. */
RT_MUST_USE rt_status eds_store_write_at_once(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_step *steps, size_t count, int64_t *changed);

/* An array of rows that grows in the event's memory: room for one more behind count. */
void *eds_store_grow(struct rt_ctx *ctx, void *rows, size_t count, size_t *room, size_t row_bytes);

/* Whether the statement gives any row. */
RT_MUST_USE rt_status eds_store_has_row(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	bool *has);

/* What the database says of its schema; all 0 without any. */
struct eds_schema_state {
	int64_t oldest_program; /* that works with it, by the number of steps that it knows */
	int64_t steps;          /* that are done */
	bool counted;           /* it says both */
};
RT_MUST_USE rt_status eds_store_schema(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_schema_state *state);
/* The steps that this program knows, and needs. */
int64_t eds_store_steps_known(void);

#endif
