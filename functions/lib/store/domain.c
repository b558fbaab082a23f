/* Domains. */
#include "functions/lib/store/domain.h"

#include <limits.h>
#include <string.h>

#include "functions/lib/store/alert-tell.h"
#include "functions/lib/store/audit-write.h"
#include "functions/lib/store/mta-sts-row.h"
#include "functions/lib/store/posture-row.h"
#include "functions/lib/store/transaction.h"
#include "runtime/config.h"

static const struct eds_db_statement INSERT = {"domain-insert",
	"INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ($1, $2, $3, $4)"};

static const struct eds_db_statement COUNT = {
	"domain-count", "SELECT count(*) FROM domains WHERE account_id = $1"};

static const struct eds_db_statement LIST = {"domain-list",
	"SELECT d.id, d.name, d.created_at_ms, p.state, coalesce(p.checked_at_ms, 0),"
	" coalesce(p.changed_at_ms, 0), p.records FROM domains d LEFT JOIN posture p"
	" ON p.domain_id = d.id WHERE d.account_id = $1 AND d.name COLLATE \"C\" > $2"
	" AND ($4 = '' OR EXISTS (SELECT 1 FROM token_domains l"
	" WHERE l.token_id = $4 AND l.domain_id = d.id))"
	" ORDER BY d.name COLLATE \"C\" LIMIT $3"};

static const struct eds_db_statement DELETE = {
	"domain-delete", "DELETE FROM domains WHERE account_id = $1 AND id = $2"};

rt_status eds_store_no_domain(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_NOT_FOUND, "domain-not-found", "there is no domain of this id");
}

/* With the new one among them: a name that the account holds already is told first. */
static rt_status check_quota(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain)
{
	int limit = eds_plan_quota(domain->plan)->domains;
	struct eds_db_query *query;
	enum eds_db_result result;
	int64_t count = 0;

	if (limit == 0)
		return RT_OK;
	result = eds_db_query(
		store->db, &COUNT, EDS_DB_VALUES(eds_db_text_value(domain->account_id)), &query);
	if (result == EDS_DB_ROW)
		count = eds_db_int(query, 0);
	eds_db_end(query);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	if (count <= limit)
		return RT_OK;
	return rt_fail(ctx, RT_FORBIDDEN, "domain-limit",
		"the account has as many domains as its plan allows (%d)", limit);
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
	RT_TRY(check_quota(ctx, store, domain));
	eds_store_audit_about(store, domain->name, NULL);
	RT_TRY(eds_store_posture_make(ctx, store, domain->id));
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
	*domain = (struct eds_domain){.id = eds_db_text(ctx, query, 0)};
	domain->account_id = account->id;
	domain->name = eds_db_text(ctx, query, 1);
	domain->created_at_ms = eds_db_int(query, 2);
	domain->plan = account->plan;
	domain->posture = (struct eds_posture_kept){
		.state = eds_db_text(ctx, query, 3),
		.checked_at_ms = eds_db_int(query, 4),
		.changed_at_ms = eds_db_int(query, 5),
		.records = eds_db_text(ctx, query, 6),
	};
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
			eds_db_int_value(limit > 0 ? limit : INT_MAX),
			eds_db_text_value(account->only_token != NULL ? account->only_token : "")),
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

static rt_status delete (struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_domain *domain = arg;
	int64_t changed = 0;
	enum eds_db_result result;

	RT_TRY(eds_store_mta_sts_leave(ctx, store, domain));
	RT_TRY(eds_store_alert_leave(ctx, store, domain->id));
	result = eds_db_execute(store->db, &DELETE,
		EDS_DB_VALUES(eds_db_text_value(domain->account_id), eds_db_text_value(domain->id)),
		&changed);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return changed > 0 ? RT_OK : eds_store_no_domain(ctx);
}

rt_status eds_store_domain_delete(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain)
{
	struct eds_domain gone = *domain;

	return eds_store_write(ctx, store, delete, &gone);
}
