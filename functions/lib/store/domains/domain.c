/* Finds domains for code that has no token of an account, such as the code that receives mail, and
 * counts the accounts that have domains. */
#include "functions/lib/store/domains/domain.h"

#include <string.h>

#include "functions/lib/store/transaction.h"

/* clang-format off */
#define DOMAIN_COLUMNS(FIRST, NEXT) \
	FIRST(DOMAIN_ID, "d.id") \
	NEXT(DOMAIN_ACCOUNT_ID, "d.account_id") \
	NEXT(DOMAIN_NAME, "d.name") \
	NEXT(DOMAIN_CREATED_AT_MS, "d.created_at_ms") \
	NEXT(DOMAIN_PLAN, "a.plan")
enum { EDS_DB_NAMES(DOMAIN_COLUMNS) };

#define DOMAIN \
	"SELECT " EDS_DB_LIST(DOMAIN_COLUMNS) \
	" FROM domains d" \
	" JOIN accounts a ON a.id = d.account_id"

static const struct eds_db_statement BY_ID = {"domain-find", DOMAIN " WHERE d.id = $1"};

static const struct eds_db_statement BY_NAME = {"domain-named",
	DOMAIN " WHERE d.account_id = $1 AND d.name = $2"};
/* clang-format on */

rt_status eds_store_no_domain(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_NOT_FOUND, "domain-not-found", "there is no domain with this id");
}

static rt_status find(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	struct eds_domain *domain)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, statement, values, count, &query);

	memset(domain, 0, sizeof *domain);
	if (result == EDS_DB_ROW) {
		const char *paid = eds_plan_name(EDS_PLAN_PAID);

		domain->id = eds_db_text(ctx, query, DOMAIN_ID);
		domain->account_id = eds_db_text(ctx, query, DOMAIN_ACCOUNT_ID);
		domain->name = eds_db_text(ctx, query, DOMAIN_NAME);
		domain->created_at_ms = eds_db_int(query, DOMAIN_CREATED_AT_MS);
		domain->plan = strcmp(eds_db_text(ctx, query, DOMAIN_PLAN), paid) == 0
			? EDS_PLAN_PAID
			: EDS_PLAN_FREE;
	}
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return eds_store_no_domain(ctx);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_domain_find(
	struct rt_ctx *ctx, struct eds_store *store, const char *id, struct eds_domain *domain)
{
	return find(ctx, store, &BY_ID, EDS_DB_VALUES(eds_db_text_value(id)), domain);
}

rt_status eds_store_domain_named(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, const char *name, struct eds_domain *domain)
{
	return find(ctx, store, &BY_NAME,
		EDS_DB_VALUES(eds_db_text_value(account_id), eds_db_text_value(name)), domain);
}

/* Finds the next account that has domains: stepping from account to account costs little, however
 * many domains each has. */
static const struct eds_db_statement NEXT_ACCOUNT = {"domain-next-account",
	"SELECT account_id FROM domains WHERE account_id > $1 ORDER BY account_id LIMIT 1"};

rt_status eds_store_accounts_with_domains(
	struct rt_ctx *ctx, struct eds_store *store, size_t most, size_t *count)
{
	enum eds_db_result result = EDS_DB_ROW;
	const char *last = "";

	for (*count = 0; *count < most; (*count)++) {
		struct eds_db_query *query;

		result = eds_db_query(
			store->db, &NEXT_ACCOUNT, EDS_DB_VALUES(eds_db_text_value(last)), &query);
		if (result == EDS_DB_ROW)
			last = eds_db_text(ctx, query, EDS_DB_ONLY);
		eds_db_end(query);
		if (result != EDS_DB_ROW)
			break;
	}
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}
