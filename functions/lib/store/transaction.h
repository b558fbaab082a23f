/* Transactions and helpers that the subject files of the store share. Only the files of the store
 * and their tests include this header. */
#ifndef EDS_STORE_TRANSACTION_H
#define EDS_STORE_TRANSACTION_H

#include "functions/lib/store/connection.h"
#include "functions/lib/store/store.h"

/* Runs body in a transaction, which is committed when body returns RT_OK, else rolled back. body
 * may run several times, so it must not change its input. When a request turns out to change
 * nothing, body must fail, or the audit log would record a change. */
typedef rt_status (*eds_store_body)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
RT_MUST_USE rt_status eds_store_write(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg);

/* Runs body in a transaction that is not serializable: the condition of each statement must name a
 * lease or a key, so that commits of other transactions between the statements do no harm. Use this
 * function for writes that many processes make at once; with eds_store_write(), all but one of
 * these transactions would have to start again and again. */
RT_MUST_USE rt_status eds_store_write_guarded(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg);

/* Runs up to EDS_DB_STEPS_MAX statements in a transaction of the same kind as that of
 * eds_store_write_guarded(). All statements are known beforehand, and go to the database in one
 * message. number: the first column of the first row that the last statement gives, 0 for none. */
RT_MUST_USE rt_status eds_store_write_at_once(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_step *steps, size_t count, int64_t *number);

/* Sets *count to the number that the statement gives, for example the number of tokens. owner_id,
 * the id of an account or a domain, is the $1 of the statement. To enforce a limit, count after the
 * INSERT, so that a name which exists already is reported before the limit. */
RT_MUST_USE rt_status eds_store_count(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const char *owner_id, int64_t *count);

/* Sets *has to whether the statement gives a row. */
RT_MUST_USE rt_status eds_store_has_row(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	bool *has);

#endif
