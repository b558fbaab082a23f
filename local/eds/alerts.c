/* eds alerts: the receivers of news about a domain, or about all domains of the account. */
#include <string.h>

#include "local/eds/arguments.h"
#include "local/eds/client.h"
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/removal.h"
#include "local/eds/request.h"
#include "local/eds/show.h"
#include "runtime/json-format.h"

/* The receiver of an alert: its mail address, or the URL of its webhook. */
static const char *receiver_of(const struct cli_call *call, const json_t *alert)
{
	return cli_text(call, alert, rt_json_string(alert, "mail") != NULL ? "mail" : "url");
}

static bool waits_for_confirmation(const json_t *alert)
{
	return rt_json_string(alert, "mail") != NULL &&
		rt_json_string(alert, "confirmedAt") == NULL;
}

static const char *state_of(const json_t *alert)
{
	if (!json_is_true(json_object_get(alert, "active")))
		return "switched off";
	return waits_for_confirmation(alert) ? "waits for confirmation" : "on";
}

static int show_list(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {
		"RECEIVER", "STATE", ">EVENTS", "WEEKLY", "ADDED", "WHY OFF", "ID", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);
		size_t events = json_array_size(json_object_get(one, "events"));

		cli_table_add(&table,
			(const char *[]){receiver_of(call, one), state_of(one),
				rt_printf(call->ctx, "%zu", events),
				cli_text(call, one, "weeklySummary"),
				cli_time(call, one, "createdAt"), cli_text(call, one, "reason"),
				cli_text(call, one, "alertId")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static int show_added(struct cli_call *call, const json_t *data)
{
	static const char *const members[][2] = {{"id", "alertId"}, {NULL, NULL}};

	cli_print(call, "%-14s %s\n", "receiver", receiver_of(call, data));
	cli_print_members(call, data, members);
	if (rt_json_string(data, "secret") != NULL)
		cli_print(call,
			"%-14s %s\n\nRequests are signed with the secret (Standard Webhooks); it "
			"cannot be shown again.\n",
			"secret", cli_text(call, data, "secret"));
	else if (waits_for_confirmation(data))
		cli_print(call,
			"\nA mail with a link is on its way to %s; alerts come once the link is "
			"followed.\n",
			receiver_of(call, data));
	return CLI_DONE;
}

static json_t *new_alert(struct cli_call *call)
{
	const char *receiver = cli_word(call, "RECEIVER");
	bool is_mail = strchr(receiver, '@') != NULL && strstr(receiver, "://") == NULL;
	const char *event;
	json_t *body = json_object();
	json_t *events = json_array();

	if (!is_mail && strncmp(receiver, "https://", 8) != 0) {
		cli_usage(call, "RECEIVER must be a mail address or begin with https://");
		return NULL;
	}
	rt_json_set_text(call->ctx, body, is_mail ? "mail" : "url", receiver);
	for (size_t n = 0; (event = cli_given_nth(call, "event", n)) != NULL; n++)
		rt_json_append(events, rt_json_text(call->ctx, event));
	rt_json_set(body, "events", json_array_size(events) > 0 ? events : json_null());
	if (cli_given(call, "weekly-summary") != NULL)
		rt_json_set(body, "weeklySummary", json_true());
	return body;
}

/* Asks the service for the receiver first, to show it in the question to the user: people know the
 * receiver better than the id of the alert. */
static int remove_alert(struct cli_call *call)
{
	struct cli_request request = {.method = "GET"};
	struct cli_removal removal;
	struct cli_answer answer;
	const char *receiver;
	int status = cli_request_path(call, &request.path);

	if (status == CLI_DONE)
		status = cli_ask(call, &request, &answer);
	if (status != CLI_DONE)
		return status;
	receiver = receiver_of(call, json_object_get(answer.json, "data"));
	removal = (struct cli_removal){
		.path = request.path,
		.question = rt_printf(call->ctx, "Send %s no more alerts?", receiver),
		.effect = rt_printf(call->ctx, "removes the alert to %s", receiver),
		.done = rt_printf(call->ctx, "removed the alert to %s", receiver),
	};
	return cli_remove(call, &removal);
}

static int show_tested(struct cli_call *call, const json_t *data)
{
	const char *domain = cli_given(call, "domain");

	cli_print(call,
		"The test is on its way; eds alerts deliveries %s%s%s shows whether it arrived.\n",
		cli_text(call, data, "alertId"), domain != NULL ? " --domain " : "",
		domain != NULL ? domain : "");
	return CLI_DONE;
}

static int show_deliveries(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {"CREATED", "EVENT", "STATE", ">TRIES", "LAST TRIED",
		"NEXT TRY", "STATUS", "REASON", "ID", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);

		cli_table_add(&table,
			(const char *[]){cli_time(call, one, "createdAt"),
				cli_text(call, one, "type"), cli_text(call, one, "state"),
				cli_text(call, one, "tries"), cli_time(call, one, "lastTriedAt"),
				cli_time(call, one, "nextTryAt"), cli_text(call, one, "status"),
				cli_text(call, one, "reason"), cli_text(call, one, "deliveryId")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

#define SCOPE_OPTION                                                                               \
	{                                                                                          \
		"domain", "DOMAIN", "the alerts of this domain; default those of all domains"      \
	}

static const struct cli_option scope_options[] = {SCOPE_OPTION, {0}};

static const struct cli_option add_options[] = {
	{"domain", "DOMAIN", "alerts about this domain only; default all domains of the account"},
	{"event", "EVENT", "an event such as dmarc-weakened; repeat for each; default all"},
	{"weekly-summary", NULL, "send a mail address a summary every Monday, too"},
	{0},
};

static const struct cli_option remove_options[] = {
	SCOPE_OPTION,
	{"yes", NULL, "do not ask for confirmation"},
	{0},
};

#define ALERTS "/api/v1/{SCOPE}alerts"

const struct cli_command cli_alerts_commands[] = {
	{
		.name = "alerts list",
		.arguments = "",
		.summary = "List the receivers of alerts",
		.options = scope_options,
		.method = "GET",
		.path = ALERTS,
		.show = show_list,
	},
	{
		.name = "alerts add",
		.arguments = "RECEIVER",
		.summary = "Send alerts to a mail address or a webhook",
		.options = add_options,
		.method = "POST",
		.path = ALERTS,
		.body = new_alert,
		.show = show_added,
		.more = "RECEIVER is a mail address or the https:// URL of a webhook. A mail "
			"address first gets a mail\nthat asks for confirmation. For a webhook "
			"the secret is printed.\n",
	},
	{
		.name = "alerts remove",
		.arguments = "ID",
		.summary = "Remove an alert and its messages that are not sent yet",
		.options = remove_options,
		.path = ALERTS "/{ID}",
		.run = remove_alert,
		.more = "Asks for confirmation on a terminal; elsewhere it needs --yes.\n",
	},
	{
		.name = "alerts test",
		.arguments = "ID",
		.summary = "Send a receiver a test",
		.options = scope_options,
		.method = "POST",
		.path = ALERTS "/{ID}/test",
		.show = show_tested,
	},
	{
		.name = "alerts deliveries",
		.arguments = "ID",
		.summary = "List what was sent to a receiver in seven days, and whether it arrived",
		.options = scope_options,
		.method = "GET",
		.path = ALERTS "/{ID}/deliveries",
		.show = show_deliveries,
	},
	{0},
};
