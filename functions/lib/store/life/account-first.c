#include "functions/lib/store/life/account-first.h"
#include "functions/lib/store/tokens/token.h"

#include "functions/lib/store/transaction.h"

static const struct eds_db_statement ANY = {"account-any", "SELECT 1 FROM accounts LIMIT 1"};

struct first {
	const char *name;
	enum eds_plan plan;
	const char *token_digest;
	bool made;
};

static rt_status create_first(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct first *first = arg;
	struct eds_account account;
	struct eds_token token;
	rt_status status;
	bool any;

	RT_TRY(eds_store_has_row(ctx, store, &ANY, EDS_DB_NO_VALUES, &any));
	first->made = !any;
	if (any)
		return RT_OK;
	status = eds_store_account_create(ctx, store, first->name, first->plan, &account);
	/* another process creates the account at this moment, so the transaction runs again */
	if (status == RT_CONFLICT) {
		rt_fail_clear(ctx);
		return eds_store_failed(ctx, store, EDS_DB_BUSY);
	}
	RT_TRY(status);
	return eds_store_token_create(
		ctx, store, first->name, first->name, 0, first->token_digest, &token);
}

rt_status eds_store_account_create_first(struct rt_ctx *ctx, struct eds_store *store,
	const char *name, enum eds_plan plan, const char *token_digest, bool *made)
{
	struct first first = {.name = name, .plan = plan, .token_digest = token_digest};

	RT_TRY(eds_store_write(ctx, store, create_first, &first));
	*made = first.made;
	return RT_OK;
}
