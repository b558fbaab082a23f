/* eds tokens: manages the API tokens of an account. */
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/pages.h"
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

/* Prints the token alone on a line, so that a shell can read it into a variable. */
static int show_made(struct cli_call *call, const json_t *data)
{
	cli_print(call, "%s\n", cli_text(call, data, "token"));
	return CLI_DONE;
}

static int show_revoked(struct cli_call *call, const json_t *data)
{
	cli_print(call, "revoked %s\n", cli_text(call, data, "tokenId"));
	return CLI_DONE;
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
	{"access", "ACCESS", "read, or full: also change"},
	{"expires", "TIME", "until when it is valid, 2030-01-31T00:00:00Z"},
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
		.summary = "Make a token, and print it this once",
		.options = new_options,
		.method = "POST",
		.path = "/api/v1/tokens",
		.body = new_token,
		.show = show_made,
	},
	{
		.name = "tokens revoke",
		.arguments = "ID",
		.summary = "Make a token invalid for ever",
		.method = "DELETE",
		.path = "/api/v1/tokens/{ID}",
		.show = show_revoked,
	},
	{
		.name = "tokens log",
		.arguments = "",
		.summary = "List which token changed what, newest first",
		.options = cli_page_options,
		.method = "GET",
		.path = "/api/v1/audit-log",
		.query = "limit cursor",
		.show = show_log,
	},
	{0},
};
