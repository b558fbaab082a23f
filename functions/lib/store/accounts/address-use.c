#include "functions/lib/store/accounts/address-use.h"
#include "runtime/time.h"

#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/transaction.h"

/* clang-format off */
/* Deletes counts whose hour has ended, but only those of IP addresses. There may be many of these,
 * because the DNS of strangers decides how many addresses are used; the other kinds of use are few.
 */
static const struct eds_db_statement FORGET = {"address-use-forget",
	"DELETE FROM account_uses"
	" WHERE account_id = $1 AND (began_at_ms <= $2 OR began_at_ms > $3)"
	" AND (kind LIKE 'policy %' OR kind LIKE 'probe %' OR kind LIKE 'names %')"};

static const struct eds_db_statement USE = {"address-use",
	"INSERT INTO account_uses (account_id, kind, began_at_ms, used)"
	" VALUES ($1, $2, $3, $4)"
	" ON CONFLICT (account_id, kind) DO UPDATE SET used = account_uses.used + $4"
	" WHERE account_uses.used + $4 <= $5"};
/* clang-format on */

struct use {
	const char *account_id;
	const char *what;
	int count;
	int max;
	int64_t taken;
};

static rt_status use_address(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct use *use = arg;
	int64_t now_ms = rt_wall_ms();
	enum eds_db_result result = eds_db_execute(store->db, &FORGET,
		EDS_DB_VALUES(eds_db_text_value(use->account_id),
			eds_db_int_value(now_ms - EDS_USE_HOUR_MS), eds_db_int_value(now_ms)),
		NULL);

	if (result == EDS_DB_OK)
		result = eds_db_execute(store->db, &USE,
			EDS_DB_VALUES(eds_db_text_value(use->account_id),
				eds_db_text_value(use->what), eds_db_int_value(now_ms),
				eds_db_int_value(use->count), eds_db_int_value(use->max)),
			&use->taken);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* eds_store_write_guarded() is enough, because the statements check their own conditions: FORGET
 * keeps an hour that another process has just begun, and USE counts only up to the limit. */
rt_status eds_store_address_use(struct rt_ctx *ctx, struct eds_store *store, const char *account_id,
	const char *what, int count, int max, bool *taken)
{
	struct use use = {.account_id = account_id, .what = what, .count = count, .max = max};

	RT_TRY(eds_store_write_guarded(ctx, store, use_address, &use));
	*taken = use.taken > 0;
	return RT_OK;
}
