/* eds reports: the reports of receivers about a domain's mail. */
#include <string.h>

#include "local/eds/export.h"
#include "local/eds/groups.h"
#include "local/eds/pages.h"
#include "local/eds/show.h"
#include "local/eds/upload.h"

static int show_list(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {"RECEIVED", "FROM", "KIND", "STATE", ">MAIL", ">PASSED",
		">FAILED", "COUNTS", "ID", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);

		cli_table_add(&table,
			(const char *[]){cli_time(call, one, "receivedAt"),
				cli_text(call, one, "organization"), cli_text(call, one, "kind"),
				cli_text(call, one, "state"), cli_text(call, one, "total"),
				cli_text(call, one, "passed"), cli_text(call, one, "failed"),
				cli_text(call, one, "counts"), cli_text(call, one, "id")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static void print_rows(const struct cli_call *call, const json_t *rows)
{
	static const char *const heads[] = {
		"SOURCE", ">MAIL", "DKIM", "SPF", "CLASS", "DISPOSITION", "FROM", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, row, "source"),
				cli_text(call, row, "messages"), cli_text(call, row, "dkim"),
				cli_text(call, row, "spf"), cli_text(call, row, "class"),
				cli_text(call, row, "disposition"),
				cli_text(call, row, "headerFrom")});
	}
	cli_print(call, "\n");
	cli_print_table(call, &table);
}

static void print_failures(const struct cli_call *call, const json_t *failures)
{
	static const char *const heads[] = {
		"FAILURE", ">SESSIONS", "MAIL SERVER", "SENDER", "REASON", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(failures); i++) {
		const json_t *one = json_array_get(failures, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, one, "type"),
				cli_text(call, one, "sessions"), cli_text(call, one, "receivingMx"),
				cli_text(call, one, "sendingIp"), cli_text(call, one, "reason")});
	}
	cli_print(call, "\n");
	cli_print_table(call, &table);
}

/* Prints who sent the report and how it came: "reporter receiver.example, unverified", after it for
 * a report that came by mail ": SPF none, DKIM none, DMARC fail". The word after the name is the
 * standing of the reporter; it decides whether the report is included in the sums of the domain. */
static void print_reporter(const struct cli_call *call, const json_t *data)
{
	const json_t *reporter = json_object_get(data, "reporter");
	const char *via = rt_json_string(data, "via");

	cli_print(call, "%-14s %s, %s", "reporter", cli_text(call, reporter, "domain"),
		cli_text(call, reporter, "standing"));
	if (via != NULL && strcmp(via, "mail") == 0)
		cli_print(call, ": SPF %s, DKIM %s, DMARC %s", cli_text(call, reporter, "spf"),
			cli_text(call, reporter, "dkim"), cli_text(call, reporter, "dmarc"));
	cli_print(call, "\n%-14s %s\n", "came by", cli_text(call, data, "via"));
}

static void print_content(const struct cli_call *call, const json_t *report)
{
	static const char *const published[][2] = {{"policy", "p"}, {"subdomains", "sp"},
		{"nonexistent", "np"}, {"testing", "testing"}, {NULL, NULL}};
	static const char *const members[][2] = {
		{"generator", "generator"}, {"errors", "errors"}, {NULL, NULL}};
	const json_t *policy = json_object_get(report, "policy");
	const json_t *rows = json_object_get(report, "rows");
	const json_t *failures = json_object_get(report, "failures");

	if (json_is_object(policy)) {
		cli_print_members(call, policy, published);
		cli_print_members(call, report, members);
	}
	if (json_array_size(rows) > 0)
		print_rows(call, rows);
	if (json_array_size(failures) > 0)
		print_failures(call, failures);
}

static int show_report(struct cli_call *call, const json_t *data)
{
	static const char *const members[][2] = {{"from", "organization"}, {"contact", "contact"},
		{"about", "policyDomain"}, {"kind", "kind"}, {"state", "state"},
		{"reason", "reason"}, {NULL, NULL}};
	static const char *const mail[][2] = {{"mail", "total"}, {"passed", "passed"},
		{"forwarded", "forwarded"}, {"failed", "failed"}, {"counts", "counts"},
		{NULL, NULL}};
	static const char *const sessions[][2] = {{"sessions", "total"}, {"successful", "passed"},
		{"failed", "failed"}, {"counts", "counts"}, {NULL, NULL}};
	const json_t *period = json_object_get(data, "period");
	const char *kind = rt_json_string(data, "kind");

	cli_print_members(call, data, members);
	cli_print_members(call, data, kind != NULL && strcmp(kind, "tls") == 0 ? sessions : mail);
	print_reporter(call, data);
	cli_print(call, "%-14s %s to %s\n", "period", cli_time(call, period, "begin"),
		cli_time(call, period, "end"));
	print_content(call, json_object_get(data, "report"));
	return CLI_DONE;
}

static int show_sums(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {
		"KEY", ">MAIL", ">PASSED", ">FORWARDED", ">FAILED", "FIRST DAY", "LAST DAY", NULL};
	const json_t *sums = json_object_get(data, "sums");
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(sums); i++) {
		const json_t *sum = json_array_get(sums, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, sum, "key"),
				cli_text(call, sum, "messages"), cli_text(call, sum, "passed"),
				cli_text(call, sum, "forwarded"), cli_text(call, sum, "failed"),
				cli_text(call, sum, "firstDay"), cli_text(call, sum, "lastDay")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static int show_selectors(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {
		"SELECTOR", "DOMAIN", ">MAIL", ">PASSED", "FIRST DAY", "LAST DAY", NULL};
	const json_t *selectors = json_object_get(data, "selectors");
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(selectors); i++) {
		const json_t *one = json_array_get(selectors, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, one, "selector"),
				cli_text(call, one, "domain"), cli_text(call, one, "messages"),
				cli_text(call, one, "passed"), cli_text(call, one, "firstDay"),
				cli_text(call, one, "lastDay")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static int show_sources(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {"SOURCE", "NAME", "CLASS", ">MAIL", ">PASSED",
		">FAILED", "LAST DAY", "WHY IT FAILS", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, one, "source"), cli_text(call, one, "name"),
				cli_text(call, one, "class"), cli_text(call, one, "messages"),
				cli_text(call, one, "passed"), cli_text(call, one, "failed"),
				cli_text(call, one, "lastDay"),
				cli_text(call, json_object_get(one, "finding"), "code")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static int show_reporters(struct cli_call *call, const json_t *data)
{
	static const char *const heads[] = {
		"REPORTER", "STANDING", "DECISION", ">VERIFIED", ">OTHERS", "LAST SEEN", NULL};
	struct cli_table table;

	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *one = json_array_get(data, i);

		cli_table_add(&table,
			(const char *[]){cli_text(call, one, "domain"),
				cli_text(call, one, "standing"), cli_text(call, one, "decision"),
				cli_text(call, one, "verifiedReports"),
				cli_text(call, one, "otherReports"),
				cli_time(call, one, "lastSeenAt")});
	}
	cli_print_table(call, &table);
	return CLI_DONE;
}

static const struct cli_option list_options[] = {
	{"reporter", "NAME", "only reports of this reporter, such as receiver.example"},
	{"from", "DAY", "only periods that begin on this day, such as 2026-01-31, or later"},
	{"to", "DAY", "only periods that begin on this day or earlier"},
	{"result", "RESULT",
		"only reports that have mail with this result: passed, forwarded or failed"},
	CLI_PAGE_OPTIONS,
	{0},
};

static const struct cli_option sum_options[] = {
	{"by", "KEY", "day, source, reporter or disposition; default day"},
	{"from", "DAY", "the first day, such as 2026-01-31; default 29 days before the last"},
	{"to", "DAY", "the last day; default today"},
	{"class", "CLASS", "count only mail of this class: passed, forwarded or failed"},
	{"reporter", "NAME", "only reports of this reporter, such as receiver.example"},
	{0},
};

static const struct cli_option day_options[] = {
	{"from", "DAY", "the first day, such as 2026-01-31; default 29 days before the last"},
	{"to", "DAY", "the last day; default today"},
	{0},
};

static const struct cli_option export_options[] = {
	{"format", "FORMAT", "csv (default) or jsonl, a line of JSON for each row"},
	{"by", "KEY", "sums by day, source, reporter or disposition in place of rows"},
	{"from", "DAY", "the first day, such as 2026-01-31; default 29 days before the last"},
	{"to", "DAY", "the last day; default today"},
	{"reporter", "NAME", "only reports of this reporter, such as receiver.example"},
	{"result", "RESULT", "only rows of mail with this result: passed, forwarded or failed"},
	{"source", "IP", "only rows of mail from this IP address"},
	{"disposition", "DISPOSITION", "only rows of mail with this disposition, such as reject"},
	{"selector", "SELECTOR", "only rows of mail that this DKIM selector signed"},
	{"cursor", "CURSOR",
		"print the rest of an export that failed, without the line of column names"},
	{0},
};

static const struct cli_usual as_csv = {"format", "csv"};

static const struct cli_usual by_day = {"by", "day"};

static const struct cli_option source_options[] = {
	{"from", "DAY", "the first day, such as 2026-01-31; default 29 days before the last"},
	{"to", "DAY", "the last day; default today"},
	{"result", "RESULT",
		"only addresses that sent mail with this result: passed, forwarded or failed"},
	{"class", "CLASS", "only this kind of source: service, unknown or forwarder"},
	CLI_PAGE_OPTIONS,
	{0},
};

#define DOMAIN_PATH "/api/v1/domains/{DOMAIN}/"

const struct cli_command cli_reports_commands[] = {
	{
		.name = "reports list",
		.arguments = "DOMAIN",
		.summary = "List the reports of the last 90 days",
		.options = list_options,
		.method = "GET",
		.path = DOMAIN_PATH "reports",
		.query = "reporter from to result limit cursor",
		.show = show_list,
	},
	{
		.name = "reports show",
		.arguments = "DOMAIN ID",
		.summary = "Show one report",
		.method = "GET",
		.path = DOMAIN_PATH "reports/{ID}",
		.show = show_report,
	},
	{
		.name = "reports upload",
		.arguments = "DOMAIN FILE...",
		.summary = "Upload files with reports about the domain",
		.path = DOMAIN_PATH "reports",
		.run = cli_upload,
		.more = "A file is a report; a gzip, zip or tar of reports; or mail with reports: "
			"one message, a mailbox\nfile (mbox), or a zip or tar of messages. - means "
			"standard input. The exit status is 1 when a\nreport was refused, 2 when "
			"the service refused a file, 64 when a file cannot be read. A report\nthat "
			"arrived before is not counted again. With --json a line is printed for "
			"each file:\n{\"path\", \"data\"}, or {\"path\", \"problem\"}.\n",
	},
	{
		.name = "reports export",
		.arguments = "DOMAIN",
		.summary = "Print every row of the DMARC reports as one file",
		.options = export_options,
		.path = DOMAIN_PATH "report-export",
		.query = "format by from to reporter result source disposition selector cursor",
		.usual = &as_csv,
		.run = cli_export,
		.more = "The newest reports come first. When the exit status is not 0, the file is "
			"not complete; if a part\nof the file was printed, standard error names "
			"the --cursor with which the same command prints\nthe rest.\n",
	},
	{
		.name = "reports sums",
		.arguments = "DOMAIN",
		.summary = "Count the mail that passed and failed, by day or another key",
		.options = sum_options,
		.method = "GET",
		.path = DOMAIN_PATH "report-sums",
		.query = "by from to class reporter",
		.usual = &by_day,
		.show = show_sums,
	},
	{
		.name = "reports selectors",
		.arguments = "DOMAIN",
		.summary = "Count the mail that each DKIM selector signed",
		.options = day_options,
		.method = "GET",
		.path = DOMAIN_PATH "report-selectors",
		.query = "from to",
		.show = show_selectors,
	},
	{
		.name = "reports sources",
		.arguments = "DOMAIN",
		.summary = "List the IP addresses that send in the domain's name",
		.options = source_options,
		.method = "GET",
		.path = DOMAIN_PATH "sources",
		.query = "from to result class limit cursor",
		.show = show_sources,
	},
	{
		.name = "reports reporters",
		.arguments = "DOMAIN",
		.summary = "List who sends reports and whether their reports count",
		.options = cli_page_options,
		.method = "GET",
		.path = DOMAIN_PATH "reporters",
		.query = "limit cursor",
		.show = show_reporters,
	},
	{0},
};
