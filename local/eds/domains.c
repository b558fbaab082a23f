/* eds domains: manages the domains of an account. */
#include "local/eds/check.h"
#include "local/eds/client.h"
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/pages.h"
#include "local/eds/posture.h"
#include "local/eds/removal.h"
#include "local/eds/request.h"
#include "local/eds/show.h"
#include "runtime/json-format.h"

const struct cli_option cli_page_options[] = {CLI_PAGE_OPTIONS, {0}};

static const struct cli_option list_options[] = {
	{"search", "TEXT", "only domains with TEXT in their name"},
	{"state", "STATE", "only domains in this state: ok, warning, error or unknown"},
	{"sort", "ORDER", "name, -name, createdAt or -createdAt; default name"},
	CLI_PAGE_OPTIONS,
	{0},
};

static const char *state_of(const struct cli_call *call, const json_t *domain)
{
	const json_t *posture = json_object_get(domain, "posture");

	return json_is_object(posture) ? cli_text(call, posture, "state") : "not checked yet";
}

static int show_list(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {"DOMAIN", "STATE", "ADDED", "ID", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *domain = json_array_get(data, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, domain, "name"), state_of(call, domain),
				cli_time(call, domain, "createdAt"), cli_text(call, domain, "id")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static int show_domain(struct cli_call *call, const json_t *data)
{
	static const char *const members[][2] = {
		{"domain", "name"}, {"id", "id"}, {"reports to", "reportAddress"}, {NULL, NULL}};

	cli_print_members(call, data, members);
	cli_print_records(
		call, json_object_get(data, "expectedRecords"), "To receive reports, publish");
	return CLI_DONE;
}

/* Asks the service for the domain's name first, to show it in the question, because DOMAIN may be
 * an id. */
static int remove_domain(struct cli_call *call)
{
	struct cli_request request = {.method = "GET"};
	struct cli_removal removal;
	struct cli_answer answer;
	const char *name;
	int status = cli_request_path(call, &request.path);

	if (status == CLI_DONE)
		status = cli_ask(call, &request, &answer);
	if (status != CLI_DONE)
		return status;
	name = cli_text(call, json_object_get(answer.json, "data"), "name");
	removal = (struct cli_removal){
		.path = request.path,
		.question = rt_printf(call->ctx, "Delete %s and all its data?", name),
		.effect = rt_printf(call->ctx, "deletes %s and all its data", name),
		.done = rt_printf(call->ctx, "removed %s", name),
	};
	return cli_remove(call, &removal);
}

static int show_history(struct cli_call *call, const json_t *data)
{
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *change = json_array_get(data, i);
		const json_t *old = json_object_get(change, "old");
		const json_t *new = json_object_get(change, "new");

		cli_print(call, "%s  %s: %s, was %s\n", cli_time(call, change, "changedAt"),
			cli_text(call, change, "item"), cli_text(call, new, "state"),
			cli_text(call, old, "state"));
		cli_print(call, "    is  %s\n    was %s\n", cli_text(call, new, "record"),
			cli_text(call, old, "record"));
	}
	if (json_array_size(data) == 0)
		cli_print(call, "none\n");
	return CLI_DONE;
}

static json_t *new_domain(struct cli_call *call)
{
	json_t *body = json_object();

	rt_json_set_text(call->ctx, body, "name", cli_word(call, "NAME"));
	return body;
}

const struct cli_command cli_domains_commands[] = {
	{
		.name = "domains list",
		.arguments = "",
		.summary = "List the domains of the account",
		.options = list_options,
		.method = "GET",
		.path = "/api/v1/domains",
		.query = "search state sort limit cursor",
		.show = show_list,
	},
	{
		.name = "domains add",
		.arguments = "NAME",
		.summary = "Monitor a domain",
		.method = "POST",
		.path = "/api/v1/domains",
		.body = new_domain,
		.show = show_domain,
	},
	{
		.name = "domains show",
		.arguments = "DOMAIN",
		.summary = "Show a domain and the DNS records for receiving its reports",
		.method = "GET",
		.path = "/api/v1/domains/{DOMAIN}",
		.show = show_domain,
	},
	{
		.name = "domains check",
		.arguments = "DOMAIN",
		.summary = "Check the mail setup of a domain in DNS now",
		.options = cli_posture_options,
		.method = "POST",
		.path = "/api/v1/domains/{DOMAIN}/posture/check",
		.show = cli_show_posture,
	},
	{
		.name = "domains history",
		.arguments = "DOMAIN",
		.summary = "Show what changed in DNS in the last 90 days",
		.options = cli_page_options,
		.method = "GET",
		.path = "/api/v1/domains/{DOMAIN}/posture/history",
		.query = "limit cursor",
		.show = show_history,
	},
	{
		.name = "domains remove",
		.arguments = "DOMAIN",
		.summary = "Stop monitoring a domain and delete its data",
		.options = cli_removal_options,
		.path = "/api/v1/domains/{DOMAIN}",
		.run = remove_domain,
		.more = "Asks for confirmation on a terminal; elsewhere it needs --yes.\n",
	},
	{0},
};
