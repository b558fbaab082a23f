/* Accounts. */
#include "functions/lib/store/accounts/account.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <string.h>

#include "functions/lib/store/accounts/account-row.h"
#include "functions/lib/store/transaction.h"
#include "runtime/config/config.h"

/* clang-format off */
static const struct eds_db_statement INSERT = {"account-insert",
	"INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ($1, $2, $3, $4)"};

static const struct eds_db_statement GET = {"account-get",
	"SELECT " EDS_DB_LIST(EDS_ACCOUNT_COLUMNS) " FROM accounts a WHERE a.name = $1"};

static const struct eds_db_statement LIST = {"account-list",
	"SELECT " EDS_DB_LIST(EDS_ACCOUNT_COLUMNS)
	" FROM accounts a"
	" ORDER BY a.name COLLATE \"C\""};
/* clang-format on */

const char *eds_plan_name(enum eds_plan plan)
{
	return plan == EDS_PLAN_PAID ? "paid" : "free";
}

bool eds_plan_parse(const char *name, enum eds_plan *plan)
{
	*plan = strcmp(name, "paid") == 0 ? EDS_PLAN_PAID : EDS_PLAN_FREE;
	return strcmp(name, eds_plan_name(*plan)) == 0;
}

void eds_store_account_read(
	struct rt_ctx *ctx, struct eds_db_query *query, int before, struct eds_account *account)
{
	bool paid = strcmp(eds_db_text(ctx, query, before + EDS_ACCOUNT_ROW_PLAN), "paid") == 0;

	account->id = eds_db_text(ctx, query, before + EDS_ACCOUNT_ROW_ID);
	account->name = eds_db_text(ctx, query, before + EDS_ACCOUNT_ROW_NAME);
	account->plan = paid ? EDS_PLAN_PAID : EDS_PLAN_FREE;
	account->created_at_ms = eds_db_int(query, before + EDS_ACCOUNT_ROW_CREATED_AT_MS);
	account->only_token = NULL;
}

rt_status eds_store_account_create(struct rt_ctx *ctx, struct eds_store *store, const char *name,
	enum eds_plan plan, struct eds_account *account)
{
	enum eds_db_result result;

	*account = (struct eds_account){
		.id = rt_uuid(ctx),
		.name = name,
		.plan = plan,
		.created_at_ms = rt_wall_ms(),
	};
	result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(account->id), eds_db_text_value(account->name),
			eds_db_text_value(eds_plan_name(account->plan)),
			eds_db_int_value(account->created_at_ms)),
		NULL);
	if (result == EDS_DB_UNIQUE)
		return rt_fail(ctx, RT_CONFLICT, "account-exists",
			"there is an account of this name already");
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_account_get(
	struct rt_ctx *ctx, struct eds_store *store, const char *name, struct eds_account *account)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &GET, EDS_DB_VALUES(eds_db_text_value(name)), &query);

	if (result == EDS_DB_ROW)
		eds_store_account_read(ctx, query, 0, account);
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return rt_fail(ctx, RT_NOT_FOUND, "account-not-found",
			"there is no account with this name");
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_account_list(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_account **accounts, size_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST, EDS_DB_NO_VALUES, &query);
	size_t room = 0;

	*accounts = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*accounts = rt_grow(ctx, *accounts, *count, &room, sizeof **accounts);
		eds_store_account_read(ctx, query, 0, &(*accounts)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}
