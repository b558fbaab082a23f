#include "functions/lib/store/life/account-plan.h"

#include "functions/lib/store/mta-sts/mta-sts-ending.h"
#include "functions/lib/store/transaction.h"

static const struct eds_db_statement SET_PLAN = {
	"account-set-plan", "UPDATE accounts SET plan = $2 WHERE name = $1"};

struct change_of_plan {
	const char *name;
	enum eds_plan plan;
	struct eds_account *account;
};

static rt_status set_plan(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct change_of_plan *change = arg;
	enum eds_db_result result = eds_db_execute(store->db, &SET_PLAN,
		EDS_DB_VALUES(eds_db_text_value(change->name),
			eds_db_text_value(eds_plan_name(change->plan))),
		NULL);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	RT_TRY(eds_store_account_get(ctx, store, change->name, change->account));
	return eds_store_mta_sts_plan_changed(ctx, store, change->account);
}

rt_status eds_store_account_set_plan(struct rt_ctx *ctx, struct eds_store *store, const char *name,
	enum eds_plan plan, struct eds_account *account)
{
	struct change_of_plan change = {.name = name, .plan = plan, .account = account};

	return eds_store_write(ctx, store, set_plan, &change);
}
