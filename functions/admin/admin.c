/* admin: invoked by the operator, never over HTTP
 *
 * in    {"action": "migrate"}     brings the database's schema up to date, making it when needed;
 *                                 with "firstAccount": NAME it also makes, where there is no
 *                                 account yet, a paid one of this name with a token
 *       {"action": "create-account", "name", "plan"}        plan: free or paid
 *       {"action": "set-plan", "account", "plan"}
 *       {"action": "create-token", "account", "name", "expiresAt"}    expiresAt: null for never
 *       {"action": "revoke-token", "id"}
 *       {"action": "list"}
 * out   migrate {from, to, token?}; create-account, set-plan {id, name, plan, createdAt};
 *       create-token {id, account, name, createdAt, expiresAt, token}, where token is shown this
 *       once; revoke-token {id, revoked: true}; list {accounts: [{…, tokens: […]}]}
 * err   action-unknown; field-invalid, field-unknown; account-exists; account-not-found;
 *       token-not-found; store-unavailable
 */
#include <string.h>

#include "functions/admin/admin-fields.h"
#include "functions/lib/auth/token.h"
#include "runtime/buffer.h"
#include "runtime/handler.h"

enum {
	ACTION_NAMES_MAX = 1024, /* bytes of the sentence that lists them */
};

static rt_status make_first_account(struct rt_ctx *ctx, const char *name, json_t *answer)
{
	char *token = eds_token_new(ctx);
	struct eds_store *store;
	bool made;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_account_create_first(
		ctx, store, name, EDS_PLAN_PAID, eds_token_digest(ctx, token), &made));
	if (made)
		rt_json_set_text(ctx, answer, "token", token);
	return RT_OK;
}

static rt_status migrate(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	static const char *const fields[] = {"action", "firstAccount"};
	const char *first = NULL;
	int from;
	int to;

	RT_TRY(rt_body_only(ctx, input, fields, 2));
	if (json_object_get(input, "firstAccount") != NULL)
		RT_TRY(eds_admin_name(ctx, input, "firstAccount", &first));
	RT_TRY(eds_store_migrate(ctx, &from, &to));
	*answer = json_object();
	rt_json_set(*answer, "from", json_integer(from));
	rt_json_set(*answer, "to", json_integer(to));
	return first != NULL ? make_first_account(ctx, first, *answer) : RT_OK;
}

static json_t *account_json(struct rt_ctx *ctx, const struct eds_account *account)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "id", account->id);
	rt_json_set_text(ctx, json, "name", account->name);
	rt_json_set_text(ctx, json, "plan", eds_plan_name(account->plan));
	rt_json_set_text(ctx, json, "createdAt", rt_time_format(ctx, account->created_at_ms));
	return json;
}

static rt_status create_account(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	static const char *const fields[] = {"action", "name", "plan"};
	struct eds_account account;
	struct eds_store *store;
	enum eds_plan plan;
	const char *name;

	RT_TRY(rt_body_only(ctx, input, fields, 3));
	RT_TRY(eds_admin_name(ctx, input, "name", &name));
	RT_TRY(eds_admin_plan(ctx, input, &plan));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_account_create(ctx, store, name, plan, &account));
	*answer = account_json(ctx, &account);
	return RT_OK;
}

static rt_status set_plan(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	static const char *const fields[] = {"action", "account", "plan"};
	struct eds_account account;
	struct eds_store *store;
	enum eds_plan plan;
	const char *name;

	RT_TRY(rt_body_only(ctx, input, fields, 3));
	RT_TRY(eds_admin_name(ctx, input, "account", &name));
	RT_TRY(eds_admin_plan(ctx, input, &plan));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_account_set_plan(ctx, store, name, plan, &account));
	*answer = account_json(ctx, &account);
	return RT_OK;
}

static const char *time_or_null(struct rt_ctx *ctx, int64_t time_ms)
{
	return time_ms != 0 ? rt_time_format(ctx, time_ms) : NULL;
}

static json_t *token_json(struct rt_ctx *ctx, const struct eds_token *token)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "id", token->id);
	rt_json_set_text(ctx, json, "account", token->account_name);
	rt_json_set_text(ctx, json, "name", token->name);
	rt_json_set_text(ctx, json, "createdAt", rt_time_format(ctx, token->created_at_ms));
	rt_json_set_text(ctx, json, "expiresAt", time_or_null(ctx, token->expires_at_ms));
	return json;
}

static rt_status create_token(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	static const char *const fields[] = {"action", "account", "name", "expiresAt"};
	char *text = eds_token_new(ctx);
	struct eds_token token;
	struct eds_store *store;
	const char *account;
	const char *name;
	int64_t expires_at_ms;

	RT_TRY(rt_body_only(ctx, input, fields, 4));
	RT_TRY(eds_admin_name(ctx, input, "account", &account));
	RT_TRY(eds_admin_name(ctx, input, "name", &name));
	RT_TRY(eds_admin_expiry(ctx, input, &expires_at_ms));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_token_create(
		ctx, store, account, name, expires_at_ms, eds_token_digest(ctx, text), &token));
	*answer = token_json(ctx, &token);
	rt_json_set_text(ctx, *answer, "token", text);
	return RT_OK;
}

static rt_status revoke_token(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	static const char *const fields[] = {"action", "id"};
	struct eds_store *store;
	const char *id;

	RT_TRY(rt_body_only(ctx, input, fields, 2));
	RT_TRY(eds_admin_name(ctx, input, "id", &id));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_token_revoke(ctx, store, id));
	*answer = json_object();
	rt_json_set_text(ctx, *answer, "id", id);
	rt_json_set(*answer, "revoked", json_true());
	return RT_OK;
}

/* Both lists are in the order of the accounts' names. */
static json_t *accounts_json(struct rt_ctx *ctx, const struct eds_account *accounts,
	size_t account_count, const struct eds_token *tokens, size_t token_count)
{
	json_t *list = json_array();
	size_t next = 0;

	for (size_t i = 0; i < account_count; i++) {
		json_t *account = account_json(ctx, &accounts[i]);
		json_t *own = json_array();

		/* one of an account made since the accounts were listed has no place here */
		while (next < token_count &&
			strcmp(tokens[next].account_name, accounts[i].name) < 0)
			next++;
		for (; next < token_count &&
			strcmp(tokens[next].account_name, accounts[i].name) == 0;
			next++) {
			json_t *token = token_json(ctx, &tokens[next]);

			rt_json_set_text(ctx, token, "revokedAt",
				time_or_null(ctx, tokens[next].revoked_at_ms));
			rt_json_append(own, token);
		}
		rt_json_set(account, "tokens", own);
		rt_json_append(list, account);
	}
	return list;
}

static rt_status list(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	static const char *const fields[] = {"action"};
	struct eds_account *accounts;
	struct eds_token *tokens;
	struct eds_store *store;
	size_t account_count;
	size_t token_count;

	RT_TRY(rt_body_only(ctx, input, fields, 1));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_account_list(ctx, store, &accounts, &account_count));
	RT_TRY(eds_store_token_list(ctx, store, &tokens, &token_count));
	*answer = json_object();
	rt_json_set(*answer, "accounts",
		accounts_json(ctx, accounts, account_count, tokens, token_count));
	return RT_OK;
}

static const struct {
	const char *name;
	rt_direct_handler run;
} actions[] = {
	{"migrate", migrate},
	{"create-account", create_account},
	{"set-plan", set_plan},
	{"create-token", create_token},
	{"revoke-token", revoke_token},
	{"list", list},
};

static rt_status unknown_action(struct rt_ctx *ctx)
{
	struct rt_buffer names;

	rt_buffer_init(&names, ctx, ACTION_NAMES_MAX);
	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		rt_buffer_format(&names, "%s%s", i > 0 ? ", " : "", actions[i].name);
	return rt_fail(
		ctx, RT_BAD_INPUT, "action-unknown", "\"action\" must be one of: %s", names.bytes);
}

static rt_status run_action(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	const char *action = rt_json_string(input, "action");

	for (size_t i = 0; action != NULL && i < sizeof actions / sizeof actions[0]; i++)
		if (strcmp(action, actions[i].name) == 0)
			return actions[i].run(ctx, input, answer);
	return unknown_action(ctx);
}

int main(int argc, char **argv)
{
	return rt_main_direct(argc, argv, run_action);
}
