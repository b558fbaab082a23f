/* eds mta-sts: manages the MTA-STS policy of a domain. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "local/eds/arguments.h"
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/show.h"
#include "runtime/json-format.h"

static void print_observed(const struct cli_call *call, const json_t *observed)
{
	static const char *const members[][2] = {{"valid", "valid"},
		{"policy fetched", "policyFetched"}, {"policy mode", "policyMode"},
		{"id in DNS", "dnsId"}, {"id in sync", "policyIdInSync"}, {NULL, NULL}};
	const json_t *errors = json_object_get(observed, "errors");

	if (!json_is_object(observed)) {
		cli_print(call, "\nnot checked yet\n");
		return;
	}
	cli_print(call, "\nseen at %s\n", cli_time(call, observed, "checkedAt"));
	cli_print_members(call, observed, members);
	for (size_t i = 0; i < json_array_size(errors); i++)
		cli_print_wrapped(call, cli_text(call, json_array_get(errors, i), "message"), 2);
}

/* For a domain whose MTA-STS is off, prints the policy and the id that the latest check found
 * nevertheless. While MTA-STS is off, it is no error if they are missing. */
static void print_leftovers(const struct cli_call *call, const json_t *observed)
{
	static const char *const members[][2] = {{"policy fetched", "policyFetched"},
		{"policy mode", "policyMode"}, {"id in DNS", "dnsId"}, {NULL, NULL}};

	if (!json_is_object(observed))
		return;
	cli_print(call, "\nseen at %s\n", cli_time(call, observed, "checkedAt"));
	cli_print_members(call, observed, members);
}

static void print_advice(const struct cli_call *call, const json_t *advice)
{
	const json_t *items = json_object_get(advice, "items");

	if (json_array_size(items) > 0)
		cli_print(call, "\nwhat to do\n");
	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *item = json_array_get(items, i);

		cli_print_wrapped(call, cli_text(call, item, "message"), 2);
		cli_print_record(call, json_object_get(item, "record"), 4);
	}
}

static bool is_off(const json_t *data)
{
	return json_is_false(json_object_get(data, "enabled"));
}

/* Prints that MTA-STS is off. Senders that still enforce an earlier policy need its records. If
 * there may be such senders, the advice is not empty. */
static void print_off(const struct cli_call *call, const json_t *advice)
{
	bool free = json_array_size(json_object_get(advice, "items")) == 0;

	cli_print(call, "\nMTA-STS is off%s.\n", free ? "; nothing needs to be published" : "");
}

static int show_configuration(struct cli_call *call, const json_t *data)
{
	static const char *const members[][2] = {{"enabled", "enabled"}, {"mode", "mode"},
		{"mx", "mxPatterns"}, {"max age", "maxAge"}, {"hosted here", "hosted"},
		{"policy id", "policyId"}, {"policy", "policyUrl"}, {NULL, NULL}};

	const json_t *advice = json_object_get(data, "advice");

	cli_print_members(call, data, members);
	if (is_off(data)) {
		print_off(call, advice);
		print_leftovers(call, json_object_get(data, "observed"));
	} else {
		cli_print_records(
			call, json_object_get(data, "expectedRecords"), "Records to publish");
		print_observed(call, json_object_get(data, "observed"));
	}
	print_advice(call, advice);
	return CLI_DONE;
}

/* True when no check has seen the present configuration. The times of the check and of the change
 * have a resolution of one second. If both are equal, the check counts only if it found errors. */
static bool is_unseen(const json_t *data, const json_t *observed)
{
	const char *checked_at = rt_json_string(observed, "checkedAt");
	const char *updated_at = rt_json_string(data, "updatedAt");
	int order;

	if (checked_at == NULL || updated_at == NULL)
		return true;
	order = strcmp(checked_at, updated_at);
	return order < 0 ||
		(order == 0 && json_array_size(json_object_get(observed, "errors")) == 0);
}

/* Warns when "enforce" is set but no check has found the setup in order. With such a setup some
 * senders may refuse to deliver, or may not enforce the policy at all. */
static void warn_of_enforce(const struct cli_call *call, const json_t *data)
{
	const json_t *observed = json_object_get(data, "observed");
	const json_t *errors = json_object_get(observed, "errors");
	const char *domain = cli_word(call, "DOMAIN");

	if (is_off(data))
		cli_complain(call,
			"enforce is set, but MTA-STS is off; eds mta-sts set %s --enabled yes "
			"switches it on",
			domain);
	else if (is_unseen(data, observed))
		cli_complain(call,
			"enforce is set, but the setup has not been checked since the change; run "
			"eds mta-sts check %s",
			domain);
	else if (json_array_size(errors) > 0)
		cli_complain(call, "enforce is set, but these checks fail: %s",
			cli_sentences(call, errors, "message"));
}

static int show_changed(struct cli_call *call, const json_t *data)
{
	const char *mode = rt_json_string(data, "mode");
	bool changes_mode = cli_given(call, "mode") != NULL;

	show_configuration(call, data);
	if (mode != NULL && strcmp(mode, "enforce") == 0 && (changes_mode || !is_off(data)))
		warn_of_enforce(call, data);
	return CLI_DONE;
}

static int show_check(struct cli_call *call, const json_t *data)
{
	const json_t *observed = json_object_get(data, "observed");

	show_configuration(call, data);
	return cli_checked(json_is_true(json_object_get(observed, "valid")),
		json_object_get(observed, "errors"));
}

/* Sets the body's member for an option whose value is yes or no. False after printing an error on
 * standard error. */
static bool set_switch(struct cli_call *call, json_t *body, const char *option)
{
	const char *value = cli_given(call, option);

	if (value == NULL)
		return true;
	rt_json_set(body, option, json_boolean(strcmp(value, "yes") == 0));
	if (strcmp(value, "yes") == 0 || strcmp(value, "no") == 0)
		return true;
	cli_usage(call, "--%s must be yes or no", option);
	return false;
}

static bool set_max_age(struct cli_call *call, json_t *body)
{
	const char *value = cli_given(call, "max-age");
	char *end;
	long long age_s;

	if (value == NULL)
		return true;
	errno = 0;
	age_s = strtoll(value, &end, 10);
	rt_json_set(body, "maxAge", json_integer(age_s));
	if (errno == 0 && end != value && *end == '\0')
		return true;
	cli_usage(call, "--max-age must be a number of seconds");
	return false;
}

static void set_patterns(struct cli_call *call, json_t *body)
{
	const char *pattern = cli_given_nth(call, "mx", 0);
	json_t *patterns;

	if (pattern == NULL)
		return;
	patterns = json_array();
	for (size_t n = 0; (pattern = cli_given_nth(call, "mx", n)) != NULL; n++)
		rt_json_append(patterns, rt_json_text(call->ctx, pattern));
	rt_json_set(body, "mxPatterns", patterns);
}

static json_t *change(struct cli_call *call)
{
	json_t *body = json_object();

	if (!set_switch(call, body, "enabled") || !set_switch(call, body, "hosted") ||
		!set_max_age(call, body))
		return NULL;
	if (cli_given(call, "mode") != NULL)
		rt_json_set_text(call->ctx, body, "mode", cli_given(call, "mode"));
	set_patterns(call, body);
	if (json_object_size(body) > 0)
		return body;
	cli_usage(call, "give at least one option with a new value");
	return NULL;
}

static const struct cli_option change_options[] = {
	{"enabled", "yes|no", "switch MTA-STS on or off"},
	{"mode", "MODE", "testing, enforce or none"},
	{"mx", "PATTERN",
		"an MX host, or *.example.com; repeat for each; replaces the present patterns"},
	{"max-age", "SECONDS", "how long senders keep the policy (max_age)"},
	{"hosted", "yes|no", "whether this service serves the policy"},
	{0},
};

#define MTA_STS "/api/v1/domains/{DOMAIN}/mta-sts"

const struct cli_command cli_mta_sts_commands[] = {
	{
		.name = "mta-sts show",
		.arguments = "DOMAIN",
		.summary = "Show a domain's MTA-STS settings and the records to publish",
		.method = "GET",
		.path = MTA_STS,
		.show = show_configuration,
	},
	{
		.name = "mta-sts set",
		.arguments = "DOMAIN",
		.summary = "Change MTA-STS settings of a domain; those without an option stay",
		.options = change_options,
		.method = "PATCH",
		.path = MTA_STS,
		.body = change,
		.show = show_changed,
	},
	{
		.name = "mta-sts check",
		.arguments = "DOMAIN",
		.summary = "Check the records, the policy and the mail servers now",
		.method = "POST",
		.path = MTA_STS "/check",
		.show = show_check,
	},
	{0},
};
