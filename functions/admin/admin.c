/* admin: invoked by the operator, never over HTTP
 *
 * in    {"action": "migrate"}     creates the database's schema or brings it up to date; with
 *                                 "firstAccount": NAME it also makes a paid account of this name,
 *                                 with a token, if there is no account yet
 *       {"action": "create-account", "name", "plan"}        plan: free or paid
 *       {"action": "set-plan", "account", "plan"}
 *       {"action": "create-token", "account", "name", "expiresAt"}    expiresAt: null for never
 *       {"action": "revoke-token", "id"}
 *       {"action": "list"}
 *       a custom resource request of CloudFormation, which also runs the migration,
 *                unless its type is Delete (stack.h)
 * out   migrate {from, to, token?}; create-account, set-plan {id, name, plan, createdAt};
 *       create-token {id, account, name, createdAt, expiresAt, token}: no later answer shows the
 *       token again; revoke-token {id, revoked: true}; list {accounts: [{…, tokens: […]}]}
 * err   action-unknown; field-invalid, field-unknown; account-exists; account-not-found;
 *       token-not-found; store-unavailable; stack-not-told
 */
#include <string.h>

#include "functions/admin/admin-fields.h"
#include "functions/admin/stack.h"
#include "functions/lib/auth/token.h"
#include "functions/lib/store/life/account-first.h"
#include "functions/lib/store/life/account-plan.h"
#include "functions/lib/store/schema/migrations.h"
#include "functions/lib/store/tokens/token.h"
#include "runtime/buffer.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

enum {
	ACTION_NAMES_MAX = 1024, /* maximum number of octets of the list of actions */
	FIELDS_MAX = 4,          /* maximum number of members in the input of an action */
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
	const char *first = NULL;
	int from;
	int to;

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

/* Makes or changes an account by a call of write(), with the name and the plan that the input
 * gives. field: the member of the input that contains the name. */
static rt_status write_account(struct rt_ctx *ctx, const json_t *input, const char *field,
	rt_status (*write)(struct rt_ctx *ctx, struct eds_store *store, const char *name,
		enum eds_plan plan, struct eds_account *account),
	json_t **answer)
{
	struct eds_account account;
	struct eds_store *store;
	enum eds_plan plan;
	const char *name;

	RT_TRY(eds_admin_name(ctx, input, field, &name));
	RT_TRY(eds_admin_plan(ctx, input, &plan));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(write(ctx, store, name, plan, &account));
	*answer = account_json(ctx, &account);
	return RT_OK;
}

static rt_status create_account(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	return write_account(ctx, input, "name", eds_store_account_create, answer);
}

static rt_status set_plan(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	return write_account(ctx, input, "account", eds_store_account_set_plan, answer);
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
	char *text = eds_token_new(ctx);
	struct eds_token token;
	struct eds_store *store;
	const char *account;
	const char *name;
	int64_t expires_at_ms;

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
	struct eds_store *store;
	const char *id;

	RT_TRY(eds_admin_name(ctx, input, "id", &id));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_token_revoke(ctx, store, id));
	*answer = json_object();
	rt_json_set_text(ctx, *answer, "id", id);
	rt_json_set(*answer, "revoked", json_true());
	return RT_OK;
}

/* The tokens of one account, from a list sorted by account name. Starts at index *next of that
 * list, and moves *next past the tokens of this account. A token whose account was made after the
 * accounts were listed is left out. */
static json_t *tokens_json(struct rt_ctx *ctx, const char *account, const struct eds_token *tokens,
	size_t count, size_t *next)
{
	json_t *list = json_array();

	for (; *next < count; ++*next) {
		const struct eds_token *token = &tokens[*next];
		int order = strcmp(token->account_name, account);
		json_t *shown;

		if (order > 0)
			break;
		if (order < 0)
			continue;
		shown = token_json(ctx, token);
		rt_json_set_text(ctx, shown, "revokedAt", time_or_null(ctx, token->revoked_at_ms));
		rt_json_append(list, shown);
	}
	return list;
}

/* The accounts, each with its tokens. Both lists must be sorted by account name. */
static json_t *accounts_json(struct rt_ctx *ctx, const struct eds_account *accounts,
	size_t account_count, const struct eds_token *tokens, size_t token_count)
{
	json_t *list = json_array();
	size_t next = 0;

	for (size_t i = 0; i < account_count; i++) {
		json_t *account = account_json(ctx, &accounts[i]);

		rt_json_set(account, "tokens",
			tokens_json(ctx, accounts[i].name, tokens, token_count, &next));
		rt_json_append(list, account);
	}
	return list;
}

static rt_status list(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	struct eds_account *accounts;
	struct eds_token *tokens;
	struct eds_store *store;
	size_t account_count;
	size_t token_count;

	(void)input;
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_account_list(ctx, store, &accounts, &account_count));
	RT_TRY(eds_store_token_list(ctx, store, &tokens, &token_count));
	*answer = json_object();
	rt_json_set(*answer, "accounts",
		accounts_json(ctx, accounts, account_count, tokens, token_count));
	return RT_OK;
}

static const struct action {
	const char *name;
	rt_direct_handler run;
	const char *fields[FIELDS_MAX + 1]; /* members that the input may have, ended by NULL */
} actions[] = {
	{"migrate", migrate, {"action", "firstAccount"}},
	{"create-account", create_account, {"action", "name", "plan"}},
	{"set-plan", set_plan, {"action", "account", "plan"}},
	{"create-token", create_token, {"action", "account", "name", "expiresAt"}},
	{"revoke-token", revoke_token, {"action", "id"}},
	{"list", list, {"action"}},
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

static rt_status run_one(
	struct rt_ctx *ctx, const struct action *action, const json_t *input, json_t **answer)
{
	size_t count = 0;

	while (action->fields[count] != NULL)
		count++;
	RT_TRY(rt_body_only(ctx, input, action->fields, count));
	return action->run(ctx, input, answer);
}

static rt_status run_action(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	const char *action = rt_json_string(input, "action");

	if (eds_admin_is_stack_event(input))
		return eds_admin_stack(ctx, input, answer);
	for (size_t i = 0; action != NULL && i < sizeof actions / sizeof actions[0]; i++)
		if (strcmp(action, actions[i].name) == 0)
			return run_one(ctx, &actions[i], input, answer);
	return unknown_action(ctx);
}

int main(int argc, char **argv)
{
	return rt_main_direct(argc, argv, run_action);
}
