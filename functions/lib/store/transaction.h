/* Transactions, and what else the subject files of the store share. Only the files of this folder
 * include it. */
#ifndef EDS_STORE_TRANSACTION_H
#define EDS_STORE_TRANSACTION_H

#include "functions/lib/store/connection.h"
#include "functions/lib/store/store.h"

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

#endif
