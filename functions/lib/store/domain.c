/* Domains. */
#include "functions/lib/store/domain.h"

#include <limits.h>
#include <string.h>

#include "functions/lib/store/mta-sts-row.h"
#include "functions/lib/store/transaction.h"

static const struct eds_db_statement INSERT = {"domain-insert",
	"INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ($1, $2, $3, $4)"};

static const struct eds_db_statement LIST = {"domain-list",
	"SELECT id, name, created_at_ms FROM domains WHERE account_id = $1 AND name COLLATE "
	"\"C\" > $2"
	" ORDER BY name COLLATE \"C\" LIMIT $3"};

static const struct eds_db_statement DELETE = {
	"domain-delete", "DELETE FROM domains WHERE account_id = $1 AND id = $2"};

rt_status eds_store_no_domain(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_NOT_FOUND, "domain-not-found", "there is no domain of this id");
}

static rt_status create(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_domain *domain = arg;
	enum eds_db_result result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(domain->account_id),
			eds_db_text_value(domain->name), eds_db_int_value(domain->created_at_ms)),
		NULL);

	if (result == EDS_DB_UNIQUE)
		return rt_fail(ctx, RT_CONFLICT, "domain-exists",
			"the account holds the domain %s already", domain->name);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return eds_store_mta_sts_make(ctx, store, domain->id);
}

rt_status eds_store_domain_create(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *name, struct eds_domain *domain)
{
	*domain = (struct eds_domain){
		.id = rt_uuid(ctx),
		.account_id = account->id,
		.name = name,
		.created_at_ms = rt_wall_ms(),
		.plan = account->plan,
	};
	return eds_store_write(ctx, store, create, domain);
}

static void read_domain(struct rt_ctx *ctx, struct eds_db_query *query,
	const struct eds_account *account, struct eds_domain *domain)
{
	domain->id = eds_db_text(ctx, query, 0);
	domain->account_id = account->id;
	domain->name = eds_db_text(ctx, query, 1);
	domain->created_at_ms = eds_db_int(query, 2);
	domain->plan = account->plan;
}

rt_status eds_store_domain_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *after, int limit,
	struct eds_domain **domains, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST,
		EDS_DB_VALUES(eds_db_text_value(account->id),
			eds_db_text_value(after != NULL ? after : ""),
			eds_db_int_value(limit > 0 ? limit : INT_MAX)),
		&query);

	*domains = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*domains = eds_store_grow(ctx, *domains, *count, &room, sizeof **domains);
		read_domain(ctx, query, account, &(*domains)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_domain_delete(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain)
{
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &DELETE,
		EDS_DB_VALUES(eds_db_text_value(domain->account_id), eds_db_text_value(domain->id)),
		&changed);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return changed > 0 ? RT_OK : eds_store_no_domain(ctx);
}
