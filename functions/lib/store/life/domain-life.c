/* Creates and deletes domains, with the rows that other files of the store keep for them. */
#include "functions/lib/store/life/domain-life.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/accounts/audit-write.h"
#include "functions/lib/store/accounts/plan-quota.h"
#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/mta-sts/mta-sts-claim.h"
#include "functions/lib/store/mta-sts/mta-sts-row.h"
#include "functions/lib/store/posture/posture-row.h"
#include "functions/lib/store/transaction.h"
#include "runtime/config/config.h"

static const struct eds_db_statement INSERT = {"domain-insert",
	"INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ($1, $2, $3, $4)"};

static const struct eds_db_statement COUNT = {
	"domain-count", "SELECT count(*) FROM domains WHERE account_id = $1"};

static const struct eds_db_statement DELETE = {
	"domain-delete", "DELETE FROM domains WHERE account_id = $1 AND id = $2"};

static rt_status check_quota(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain)
{
	int limit = eds_plan_quota(domain->plan)->domains;
	int64_t count;

	if (limit == 0)
		return RT_OK;
	RT_TRY(eds_store_count(ctx, store, &COUNT, domain->account_id, &count));
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
			"the account already has the domain %s", domain->name);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	RT_TRY(check_quota(ctx, store, domain));
	RT_TRY(eds_store_use(ctx, store, domain->account_id, domain->plan, EDS_USE_DOMAIN));
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

static rt_status delete (struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_domain *domain = arg;
	int64_t changed = 0;
	enum eds_db_result result;

	RT_TRY(eds_store_mta_sts_leave(ctx, store, domain));
	RT_TRY(eds_store_alert_leave(ctx, store, domain->id));
	RT_TRY(eds_store_use_leave(ctx, store, domain->account_id, domain->id));
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
