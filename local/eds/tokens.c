/* eds tokens: manages the API tokens of an account. */
#include <strings.h>

#include "local/eds/client.h"
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/pages.h"
#include "local/eds/removal.h"
#include "local/eds/request.h"
#include "local/eds/show.h"
#include "runtime/json-format.h"

static int show_list(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {
		"NAME", "ACCESS", "CREATED", "EXPIRES", "LAST USED", "THIS ONE", "ID", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, one, "name"), cli_text(call, one, "access"),
				cli_time(call, one, "createdAt"), cli_time(call, one, "expiresAt"),
				cli_time(call, one, "lastUsedAt"), cli_text(call, one, "current"),
				cli_text(call, one, "tokenId")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

/* Prints the token, and nothing else, so that a shell can read it into a variable. */
static int show_made(struct cli_call *call, const json_t *data)
{
	cli_print(call, "%s\n", cli_text(call, data, "token"));
	return CLI_DONE;
}

/* The name of the token with this id; NULL when the account has no such token. */
static const char *name_of(const struct cli_call *call, const json_t *tokens, const char *id)
{
	for (size_t i = 0; i < json_array_size(tokens); i++) {
		const json_t *token = json_array_get(tokens, i);
		const char *other = rt_json_string(token, "tokenId");

		if (other != NULL && strcasecmp(other, id) == 0)
			return cli_text(call, token, "name");
	}
	return NULL;
}

static int revoke(struct cli_call *call)
{
	struct cli_request request = {.method = "GET", .path = "/api/v1/tokens"};
	struct cli_removal removal = {0};
	struct cli_answer answer;
	const char *name;
	int status = cli_ask(call, &request, &answer);

	if (status == CLI_DONE)
		status = cli_request_path(call, &removal.path);
	if (status != CLI_DONE)
		return status;
	name = name_of(call, json_object_get(answer.json, "data"), cli_word(call, "ID"));
	if (name == NULL) {
		cli_complain(call, "the account has no token %s; eds tokens list shows the IDs",
			cli_word(call, "ID"));
		return CLI_REFUSED;
	}
	removal.question = rt_printf(call->ctx, "Revoke the token %s?", name);
	removal.effect = rt_printf(call->ctx, "revokes the token %s", name);
	removal.done = rt_printf(call->ctx, "revoked %s", name);
	return cli_remove(call, &removal);
}

static int show_log(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {"WHEN", "TOKEN", "ACTION", "DOMAIN", "SUBJECT", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);

		cli_table_add(&table,
			(const char *[]){cli_time(call, one, "at"),
				cli_text(call, one, "tokenName"), cli_text(call, one, "action"),
				cli_text(call, one, "domain"), cli_text(call, one, "subject")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static json_t *new_token(struct cli_call *call)
{
	const char *expires = cli_given(call, "expires");
	json_t *body = json_object();

	rt_json_set_text(call->ctx, body, "name", cli_word(call, "NAME"));
	if (cli_given(call, "access") != NULL)
		rt_json_set_text(call->ctx, body, "access", cli_given(call, "access"));
	if (expires != NULL)
		rt_json_set_text(call->ctx, body, "expiresAt", expires);
	return body;
}

static const struct cli_option new_options[] = {
	{"access", "ACCESS", "read: may only read data (default); full: may also change it"},
	{"expires", "TIME", "when it expires, such as 2030-01-31T00:00:00Z; default never"},
	{0},
};

const struct cli_command cli_tokens_commands[] = {
	{
		.name = "tokens list",
		.arguments = "",
		.summary = "List the tokens of the account",
		.method = "GET",
		.path = "/api/v1/tokens",
		.show = show_list,
	},
	{
		.name = "tokens create",
		.arguments = "NAME",
		.summary = "Create a token and print it; it cannot be shown again",
		.options = new_options,
		.method = "POST",
		.path = "/api/v1/tokens",
		.body = new_token,
		.show = show_made,
	},
	{
		.name = "tokens revoke",
		.arguments = "ID",
		.summary = "Revoke a token",
		.options = cli_removal_options,
		.path = "/api/v1/tokens/{ID}",
		.run = revoke,
		.more = "Asks for confirmation on a terminal; elsewhere it needs --yes.\n",
	},
	{
		.name = "tokens log",
		.arguments = "",
		.summary = "List changes and the token that made each, newest first",
		.options = cli_page_options,
		.method = "GET",
		.path = "/api/v1/audit-log",
		.query = "limit cursor",
		.show = show_log,
	},
	{0},
};
