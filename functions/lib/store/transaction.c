#include "functions/lib/store/transaction.h"
#include "runtime/time.h"

#include <time.h>

#include "functions/lib/store/accounts/audit-write.h"
#include "runtime/counts.h"

enum {
	RETRY_PAUSE_US = 500, /* maximum pause before the first retry of a transaction */
	DOUBLINGS_MAX = 8,
};

rt_status eds_store_count(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const char *owner_id, int64_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, statement, EDS_DB_VALUES(eds_db_text_value(owner_id)), &query);

	*count = result == EDS_DB_ROW ? eds_db_int(query, EDS_DB_ONLY) : 0;
	eds_db_end(query);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_has_row(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	bool *has)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, statement, values, count, &query);

	eds_db_end(query);
	*has = result == EDS_DB_ROW;
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

struct transaction {
	enum eds_db_isolation isolation;
	eds_store_body body;
	void *arg;
};

static rt_status attempt(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct transaction *transaction = arg;
	enum eds_db_result result = eds_db_begin(
		store->db, store->check != NULL ? EDS_DB_SERIALISABLE : transaction->isolation);
	rt_status status = RT_OK;

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (store->check != NULL)
		status = store->check(ctx, store, store->check_arg);
	if (status == RT_OK)
		status = transaction->body(ctx, store, transaction->arg);
	if (status == RT_OK && store->also != NULL)
		status = store->also(ctx, store, store->also_arg);
	if (status == RT_OK)
		status = eds_store_audit_write(ctx, store);
	if (status == RT_OK) {
		result = eds_db_commit(store->db);
		if (result == EDS_DB_OK) {
			store->entry = NULL;
			return RT_OK;
		}
		status = eds_store_failed(ctx, store, result);
	}
	eds_db_rollback(store->db);
	return status;
}

/* Waits for a random time whose maximum doubles with each of the first DOUBLINGS_MAX retries, so
 * that transactions that collided do not collide again. */
static void pause_before_retry(const struct eds_store *store, int retries)
{
	int64_t left_ms = store->db->wait_until_ms - rt_monotonic_ms();
	int64_t most_us = (int64_t)RETRY_PAUSE_US
		<< (retries < DOUBLINGS_MAX ? retries : DOUBLINGS_MAX);
	struct timespec pause = {0};
	uint32_t chance;

	if (left_ms < 1)
		return;
	if (most_us > left_ms * 1000)
		most_us = left_ms * 1000;
	rt_random(&chance, sizeof chance);
	pause.tv_nsec = (long)(chance % most_us) * 1000;
	nanosleep(&pause, NULL);
}

static rt_status repeat(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body attempt_it, void *arg)
{
	rt_status status;

	for (int retries = 0;; retries++) {
		store->again = false;
		status = attempt_it(ctx, store, arg);
		if (!store->again || rt_monotonic_ms() >= store->db->wait_until_ms)
			return status;
		rt_count(RT_COUNT_DATABASE_RETRIES);
		pause_before_retry(store, retries);
		rt_fail_clear(ctx);
	}
}

static rt_status write_as(
	struct rt_ctx *ctx, struct eds_store *store, struct transaction transaction)
{
	rt_status status = repeat(ctx, store, attempt, &transaction);

	store->check = NULL;
	store->also = NULL;
	return status;
}

rt_status eds_store_write(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg)
{
	return write_as(ctx, store, (struct transaction){EDS_DB_SERIALISABLE, body, arg});
}

rt_status eds_store_write_guarded(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg)
{
	return write_as(ctx, store, (struct transaction){EDS_DB_GUARDED, body, arg});
}

struct at_once {
	const struct eds_db_step *steps;
	size_t count;
	int64_t *number;
};

static rt_status attempt_at_once(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct at_once *all = arg;
	enum eds_db_result result = eds_db_at_once(store->db, all->steps, all->count, all->number);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_write_at_once(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_step *steps, size_t count, int64_t *number)
{
	struct at_once all = {steps, count, number};

	return repeat(ctx, store, attempt_at_once, &all);
}
