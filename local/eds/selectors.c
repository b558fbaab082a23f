/* eds selectors: manages the DKIM selectors of a domain. */
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/pages.h"
#include "local/eds/show.h"
#include "runtime/json-format.h"

static const struct cli_option list_options[] = {
	{"search", "TEXT", "only selectors with TEXT in their name"},
	{"state", "STATE",
		"only selectors in this state: active, unused, revoked, invalid or unknown"},
	{"sort", "ORDER", "selector, -selector, createdAt or -createdAt; default selector"},
	CLI_PAGE_OPTIONS,
	{0},
};

static const char *key_of(const struct cli_call *call, const json_t *check)
{
	if (rt_json_string(check, "keyType") == NULL)
		return "-";
	return rt_printf(call->ctx, "%s %s", cli_text(call, check, "keyType"),
		cli_text(call, check, "keySize"));
}

/* The codes of the errors or, if there are none, of the warnings. */
static const char *findings_of(const struct cli_call *call, const json_t *check)
{
	const json_t *errors = json_object_get(check, "errors");

	return cli_each(call,
		json_array_size(errors) > 0 ? errors : json_object_get(check, "warnings"), "code");
}

static int show_list(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {"SELECTOR", "VALID", "KEY", "STATE", ">PASSED",
		">FAILED", "CHECKED", "FINDINGS", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);
		const json_t *evidence = json_object_get(one, "evidence");

		cli_table_add(&table,
			(const char *[]){cli_text(call, one, "selector"),
				cli_text(call, one, "valid"), key_of(call, one),
				cli_text(call, one, "state"), cli_text(call, evidence, "passCount"),
				cli_text(call, evidence, "failCount"),
				cli_time(call, one, "checkedAt"), findings_of(call, one)});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static void print_findings(const struct cli_call *call, const json_t *findings)
{
	for (size_t i = 0; i < json_array_size(findings); i++)
		cli_print_wrapped(call, cli_text(call, json_array_get(findings, i), "message"), 2);
}

static int show_check(struct cli_call *call, const json_t *data)
{
	bool valid = json_is_true(json_object_get(data, "valid"));
	int status = cli_checked(valid, json_object_get(data, "errors"));
	const char *state = status == CLI_UNDECIDED ? "unknown" : "not valid";

	cli_print(call, "%s: %s, key %s\n", cli_text(call, data, "selector"),
		valid ? "valid" : state, key_of(call, data));
	print_findings(call, json_object_get(data, "errors"));
	print_findings(call, json_object_get(data, "warnings"));
	return status;
}

static int show_history(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {"CHANGED", "VALID", "KEY", "NEW KEY", "FINDINGS", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);

		cli_table_add(&table,
			(const char *[]){cli_time(call, one, "changedAt"),
				cli_text(call, one, "valid"), key_of(call, one),
				cli_text(call, one, "keyChanged"), findings_of(call, one)});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static int show_removed(struct cli_call *call, const json_t *data)
{
	cli_print(call, "removed %s\n", cli_text(call, data, "selector"));
	return CLI_DONE;
}

static json_t *new_selector(struct cli_call *call)
{
	json_t *body = json_object();

	rt_json_set_text(call->ctx, body, "selector", cli_word(call, "SELECTOR"));
	return body;
}

#define SELECTORS "/api/v1/domains/{DOMAIN}/dkim/selectors"

const struct cli_command cli_selectors_commands[] = {
	{
		.name = "selectors list",
		.arguments = "DOMAIN",
		.summary = "List the DKIM selectors of a domain",
		.options = list_options,
		.method = "GET",
		.path = SELECTORS,
		.query = "search state sort limit cursor",
		.show = show_list,
	},
	{
		.name = "selectors add",
		.arguments = "DOMAIN SELECTOR",
		.summary = "Register a selector and check it",
		.method = "POST",
		.path = SELECTORS,
		.body = new_selector,
		.show = show_check,
		.more = "A selector that is not in DNS yet is registered too; the exit status is then 1.\n",
	},
	{
		.name = "selectors check",
		.arguments = "DOMAIN SELECTOR",
		.summary = "Check the key of a selector now",
		.method = "POST",
		.path = SELECTORS "/{SELECTOR}/check",
		.show = show_check,
	},
	{
		.name = "selectors history",
		.arguments = "DOMAIN SELECTOR",
		.summary = "Show how a selector's key changed in the last 90 days",
		.method = "GET",
		.path = SELECTORS "/{SELECTOR}/history",
		.show = show_history,
	},
	{
		.name = "selectors remove",
		.arguments = "DOMAIN SELECTOR",
		.summary = "Remove a selector and its history",
		.method = "DELETE",
		.path = SELECTORS "/{SELECTOR}",
		.show = show_removed,
	},
	{0},
};
