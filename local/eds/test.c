/* eds test: makes a one-time address, waits for a message to it, and shows the result. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "local/eds/arguments.h"
#include "local/eds/client.h"
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/message.h"
#include "local/eds/request.h"
#include "local/eds/show.h"
#include "runtime/time.h"

enum {
	TIMEOUT_USUAL_S = 600,
	TIMEOUT_MOST_S = 48 * 3600, /* longest wait, s; a test address expires after this time */
	WAIT_S = 30,       /* how long the service may wait for a result before it answers */
	PAUSE_FIRST_S = 1, /* first pause after an answer without a result */
	PAUSE_MOST_S = 10,
};

#define SESSIONS "/api/inbound-tester/sessions"

struct test {
	struct cli_call *call;
	/* message to send; length 0: the user sends one in another way */
	struct cli_message message;
	int64_t end_ms; /* end of the wait, monotonic */
	double below;   /* value of --below, if given */
	const char *id;
	const char *email;
};

/* Reads the value of an option: a number that is not below least and not above most. Without the
 * option *number stays as it is. False after printing an error. */
static bool read_number(
	const struct cli_call *call, const char *option, double least, double most, double *number)
{
	const char *text = cli_given(call, option);
	char *end;

	if (text == NULL)
		return true;
	errno = 0;
	*number = strtod(text, &end);
	if (end != text && *end == '\0' && errno == 0 && *number >= least && *number <= most)
		return true;
	cli_usage(call, "--%s must be a number from %.0f to %.0f", option, least, most);
	return false;
}

static int make_session(struct test *test)
{
	struct cli_request request = {.method = "POST", .path = SESSIONS};
	struct cli_answer answer;
	int status = cli_ask(test->call, &request, &answer);
	const char *id = rt_json_string(answer.json, "testId");

	if (status != CLI_DONE)
		return status;
	if (id == NULL || rt_json_string(answer.json, "email") == NULL)
		return cli_refusal(test->call, &answer);
	test->id = rt_strdup(test->call->ctx, id);
	test->email = rt_strdup(test->call->ctx, cli_text(test->call, answer.json, "email"));
	return CLI_DONE;
}

/* Prints the address. With --json it goes to standard error, because standard output is only for
 * the answer. */
static void tell_address(const struct test *test)
{
	if (test->call->json)
		cli_complain(test->call, "the address is %s", test->email);
	cli_print(test->call, "%s\n", test->email);
	fflush(stdout);
	if (test->message.length > 0)
		return;
	cli_complain(test->call,
		"send a message to this address; eds test %s can also show the result later",
		test->id);
}

/* Submits the message over HTTP, as if the server at --client-ip had delivered it. */
static int hand_over(const struct test *test)
{
	struct cli_call *call = test->call;
	const char *helo = cli_given(call, "helo");
	const char *sender = cli_given(call, "mail-from");
	struct cli_request request = {.method = "POST",
		.type = "message/rfc822",
		.body = test->message.bytes,
		.length = test->message.length};
	struct cli_answer answer;

	request.path = rt_printf(call->ctx, SESSIONS "/%s/message?clientIp=%s&helo=%s&mailFrom=%s",
		cli_percent(call->ctx, test->id),
		cli_percent(call->ctx, cli_given(call, "client-ip")),
		cli_percent(call->ctx, helo != NULL ? helo : "localhost"),
		cli_percent(call->ctx, sender != NULL ? sender : ""));
	return cli_ask(call, &request, &answer);
}

static int send_message(const struct test *test)
{
	if (test->message.length == 0)
		return CLI_DONE;
	if (cli_given(test->call, "client-ip") != NULL)
		return hand_over(test);
	return cli_send_mail(test->call, test->email, &test->message);
}

static int left_s(const struct test *test)
{
	int64_t left_ms = test->end_ms - rt_monotonic_ms();

	return left_ms <= 0 ? 0 : (int)((left_ms + 999) / 1000);
}

static void pause_s(const struct test *test, int seconds)
{
	int left = left_s(test);

	sleep((unsigned)(seconds < left ? seconds : left));
}

static bool is_completed(const struct cli_answer *answer)
{
	const char *status = rt_json_string(answer->json, "status");

	return answer->status == 200 && status != NULL && strcmp(status, "completed") == 0;
}

/* True if asking again later makes sense: the service is busy, restarts, cannot be reached, or has
 * no result yet. */
static bool may_wait(int status, const struct cli_answer *answer)
{
	if (status != CLI_DONE)
		return true;
	return answer->status == 429 || answer->status >= 500 ||
		(answer->status == 200 && rt_json_string(answer->json, "status") != NULL);
}

/* Sends one request, which the service answers when there is a result, or after WAIT_S at the
 * latest. */
static int ask_once(struct test *test, struct cli_answer *answer)
{
	int left = left_s(test);
	struct cli_request request = {.method = "GET", .wait_s = WAIT_S};

	request.path = rt_printf(test->call->ctx, SESSIONS "/%s?wait=%d",
		cli_percent(test->call->ctx, test->id), left < WAIT_S ? left : WAIT_S);
	return cli_send(test->call, &request, answer);
}

/* Asks until there is a result, the service refuses, or the time is over. A service that answers at
 * once instead of waiting is asked less and less often. If its answer has Retry-After, the pause is
 * that long, but not longer than the time that is left. */
static int wait_for_result(struct test *test, struct cli_answer *answer)
{
	int pause = PAUSE_FIRST_S;

	for (;;) {
		int64_t asked_ms = rt_monotonic_ms();
		int status = ask_once(test, answer);

		if ((status == CLI_DONE && is_completed(answer)) || !may_wait(status, answer))
			return status;
		if (left_s(test) == 0)
			return status == CLI_DONE && answer->status == 200 ? CLI_UNDECIDED : status;
		if (answer->retry_after_s > 0)
			pause_s(test, answer->retry_after_s);
		else if (rt_monotonic_ms() - asked_ms < 1000 * PAUSE_FIRST_S)
			pause_s(test, pause);
		pause = pause * 2 < PAUSE_MOST_S ? pause * 2 : PAUSE_MOST_S;
	}
}

static void print_scores(const struct cli_call *call, const json_t *rules)
{
	static const char *const heads[] = {">POINTS", "RULE", NULL};
	struct cli_table table;

	cli_print(call, "\n");
	if (json_array_size(rules) == 0) {
		cli_print(call, "No rule gave points.\n");
		return;
	}
	cli_table_init(&table, call->ctx, heads);
	for (size_t i = 0; i < json_array_size(rules); i++) {
		const json_t *rule = json_array_get(rules, i);
		double points = json_number_value(json_object_get(rule, "score"));

		cli_table_add(&table,
			(const char *[]){rt_printf(call->ctx, "%+.1f", points),
				cli_text(call, rule, "rule")});
	}
	cli_print_table(call, &table);
}

static void print_reasons(const struct cli_call *call, const json_t *reasons)
{
	for (size_t i = 0; i < json_array_size(reasons); i++)
		cli_print_wrapped(call, cli_text(call, json_array_get(reasons, i), "message"), 2);
}

/* Prints the advice that needs action. The page of the result in the dashboard also shows good
 * findings and notes. */
static void print_advice(const struct cli_call *call, const json_t *advice)
{
	bool begun = false;

	for (size_t i = 0; i < json_array_size(advice); i++) {
		const json_t *item = json_array_get(advice, i);
		const char *severity = cli_text(call, item, "severity");

		if (strcmp(severity, "urgent") != 0 && strcmp(severity, "action") != 0)
			continue;
		cli_print(call, "%s", begun ? "" : "\nwhat to do\n");
		cli_print_wrapped(call, cli_text(call, item, "message"), 2);
		cli_print_record(call, json_object_get(item, "record"), 4);
		begun = true;
	}
}

static void print_session(const struct cli_call *call, const json_t *session)
{
	const json_t *results = json_object_get(session, "results");
	const json_t *outlook = json_object_get(results, "outlook");

	cli_print(call, "\n%s, %s points; outlook: %s\n", cli_text(call, session, "verdict"),
		cli_text(call, session, "spamScore"), cli_text(call, outlook, "state"));
	print_reasons(call, json_object_get(outlook, "reasons"));
	print_scores(call, json_object_get(session, "scoreBreakdown"));
	print_advice(call, json_object_get(results, "advice"));
}

static int status_of(const struct test *test, const json_t *session)
{
	const json_t *outlook = json_object_get(json_object_get(session, "results"), "outlook");
	const char *verdict = cli_text(test->call, session, "verdict");
	const char *state = cli_text(test->call, outlook, "state");
	double score = json_number_value(json_object_get(session, "spamScore"));
	bool by_score = cli_given(test->call, "below") != NULL;
	bool good = by_score ? score < test->below : strcmp(verdict, "ham") == 0;

	/* A low score means nothing when large providers refuse the message anyway, or when SPF and
	 * blocklists could not be judged, so it must not let a pipeline pass. */
	if (!good || strcmp(state, "refused") == 0)
		return CLI_NOT_WELL;
	return strcmp(state, "undecided") == 0 ? CLI_UNDECIDED : CLI_DONE;
}

static int show_result(struct test *test)
{
	struct cli_answer answer;
	int status = wait_for_result(test, &answer);

	if (status == CLI_UNDECIDED)
		cli_complain(test->call, "no result yet; eds test %s keeps waiting", test->id);
	else if (status != CLI_DONE)
		cli_complain(test->call, "%s", test->call->ctx->failure.detail);
	else if (!is_completed(&answer))
		return cli_refusal(test->call, &answer);
	if (status != CLI_DONE)
		return status;
	if (test->call->json)
		cli_print_json(test->call, answer.body, answer.length);
	print_session(test->call, answer.json);
	return status_of(test, answer.json);
}

/* Reads the options; false after printing the error on standard error. */
static bool read_options(struct test *test)
{
	const char *file = cli_given(test->call, "send-from");
	double timeout_s = TIMEOUT_USUAL_S;

	if (!read_number(test->call, "timeout", 0, TIMEOUT_MOST_S, &timeout_s) ||
		!read_number(test->call, "below", -100, 100, &test->below))
		return false;
	test->end_ms = rt_monotonic_ms() + (int64_t)(timeout_s * 1000);
	if (file != NULL && test->id != NULL) {
		cli_usage(test->call, "--send-from sends to a new address; leave out TESTID");
		return false;
	}
	return file == NULL || cli_read_message(test->call, file, &test->message);
}

static int run(struct cli_call *call)
{
	struct test test = {.call = call, .id = cli_word(call, "TESTID")};
	int status = CLI_DONE;

	if (!read_options(&test))
		return CLI_USAGE;
	if (test.id == NULL) {
		status = make_session(&test);
		if (status == CLI_DONE)
			tell_address(&test);
		if (status == CLI_DONE)
			status = send_message(&test);
	}
	return status == CLI_DONE ? show_result(&test) : status;
}

static const struct cli_option options[] = {
	{"timeout", "SECONDS", "how long to wait for the result; default 600"},
	{"below", "SCORE",
		"judge by the score, not the verdict: exit status 1 if it is SCORE or more"},
	{"send-from", "FILE", "send the message in FILE (or - for standard input) to the address"},
	{"smtp", "HOST:PORT", "the SMTP server that gets the message; default 127.0.0.1:2525"},
	{"mail-from", "ADDRESS", "the envelope sender (MAIL FROM); default <>"},
	{"helo", "NAME", "the name in HELO; default localhost"},
	{"client-ip", "IP",
		"submit the message over HTTP, as if the server at IP had delivered it"},
	{0},
};

const struct cli_command cli_test_commands[] = {
	{
		.name = "test",
		.arguments = "[TESTID]",
		.summary = "Send a message to a one-time address and see how it is judged",
		.options = options,
		.open = true,
		.run = run,
		.more = "Prints an address, waits for a message to it, and prints the verdict, the "
			"score and the\nreasons. Send the message from the server that sends your "
			"mail. With TESTID, the part before\nthe @ of an earlier test's address, "
			"it waits for the result of that test.\n\n"
			"Exit status 0: ham, and no provider refuses it; 1: not ham (with --below: "
			"the score is SCORE\nor more), or large providers or the domain's own "
			"policy refuse the message; 4: undecided,\nsuch as for mail from a private "
			"address, where SPF and blocklists cannot be judged.\n",
	},
	{0},
};
