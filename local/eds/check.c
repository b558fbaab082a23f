#include <string.h>

#include "local/eds/check.h"
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/posture.h"
#include "local/eds/show.h"

const struct cli_option cli_posture_options[] = {
	{"strict", NULL, "exit with status 1 on warnings, too"},
	{0},
};

static void print_table(const struct cli_call *call, const json_t *items)
{
	static const char *const heads[] = {"SUBJECT", "STATE", "RECORD", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *item = json_array_get(items, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, item, "name"),
				cli_text(call, item, "state"), cli_text(call, item, "record")});
	}
	cli_print_table(call, &table);
}

static void print_finding(const struct cli_call *call, const json_t *item, const json_t *finding)
{
	cli_print(
		call, "\n%s, %s\n", cli_text(call, item, "name"), cli_text(call, finding, "state"));
	cli_print_wrapped(call, cli_text(call, finding, "message"), 2);
	if (rt_json_string(finding, "advice") != NULL)
		cli_print_wrapped(call, cli_text(call, finding, "advice"), 2);
	cli_print_record(call, json_object_get(finding, "record"), 4);
}

static void print_findings(const struct cli_call *call, const json_t *item)
{
	const json_t *findings = json_object_get(item, "findings");

	for (size_t i = 0; i < json_array_size(findings); i++)
		print_finding(call, item, json_array_get(findings, i));
}

static int status_of(const struct cli_call *call, const char *state)
{
	if (strcmp(state, "ok") == 0)
		return CLI_DONE;
	if (strcmp(state, "warning") == 0)
		return cli_given(call, "strict") != NULL ? CLI_NOT_WELL : CLI_DONE;
	return strcmp(state, "unknown") == 0 ? CLI_UNDECIDED : CLI_NOT_WELL;
}

int cli_show_posture(struct cli_call *call, const json_t *data)
{
	const json_t *items = json_object_get(data, "items");

	cli_print(
		call, "%s: %s\n\n", cli_text(call, data, "domain"), cli_text(call, data, "state"));
	print_table(call, items);
	for (size_t i = 0; i < json_array_size(items); i++)
		print_findings(call, json_array_get(items, i));
	return status_of(call, cli_text(call, data, "state"));
}

const struct cli_command cli_check_commands[] = {
	{
		.name = "check",
		.arguments = "NAME",
		.summary = "Check the mail setup of any domain in DNS",
		.options = cli_posture_options,
		.open = true,
		.method = "GET",
		.path = "/api/v1/check?domain={NAME}",
		.show = cli_show_posture,
		.more = "NAME is any domain, such as example.com; no account is needed. The worst findings "
			"come\nfirst, with the DNS record to publish. Exit status 1 means that there is "
			"an error.\n",
	},
	{0},
};
