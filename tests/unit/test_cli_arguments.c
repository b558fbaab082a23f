/* The command line of eds: what it means, and what is said about a wrong one. */
#include "local/eds/arguments.h"
#include "local/eds/commands.h"
#include "tests/support/test-event.h"

#include <unistd.h>

enum {
	ARGUMENTS_MAX = 80,
	SAID_MAX = 2048,
};

static struct cli_call call;
static const struct cli_command *group;
static char said[SAID_MAX]; /* on standard error */

/* Reads "eds", and the arguments, which a space separates. */
static int read_line(const char *line)
{
	char *argv[ARGUMENTS_MAX] = {"eds"};
	char *rest = rt_strdup(&test_event, line);
	FILE *file = tmpfile();
	int before = dup(STDERR_FILENO);
	int argc = 1;
	int status;

	for (char *word; *line != '\0' && (word = strsep(&rest, " ")) != NULL;)
		argv[argc++] = word;
	memset(&call, 0, sizeof call);
	call.ctx = &test_event;
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	status = cli_read_arguments(&call, argc, argv, &group);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(file);
	said[fread(said, 1, sizeof said - 1, file)] = '\0';
	fclose(file);
	return status;
}

/* "domains list example.com --json": the command, its words, and its options with their values. */
static const char *meaning(const char *line)
{
	const char *text;

	if (read_line(line) != CLI_DONE)
		return "not understood";
	if (call.command == NULL)
		return group == NULL ? "help" : rt_printf(&test_event, "help %s", group->name);
	text = call.command->name;
	for (size_t i = 0; i < call.word_count; i++)
		text = rt_printf(&test_event, "%s <%s>", text, call.words[i]);
	for (size_t i = 0; i < call.given_count; i++)
		text = rt_printf(&test_event, "%s --%s=<%s>", text, call.given[i].option->name,
			call.given[i].value);
	return rt_printf(
		&test_event, "%s%s%s", text, call.help ? " help" : "", call.json ? " json" : "");
}

static void a_command_is_found_with_its_words_and_options(void **state)
{
	static const char *const cases[][2] = {
		{"check example.com", "check <example.com>"},
		{"test", "test"},
		{"test abc", "test <abc>"},
		{"api GET /x", "api <GET> </x>"},
		{"api POST /x {}", "api <POST> </x> <{}>"},
		{"domains", "domains list"},
		{"domains list", "domains list"},
		{"selectors add a.example s1", "selectors add <a.example> <s1>"},
		{"reports upload a.example one", "reports upload <a.example> <one>"},
		{"reports upload a.example one two three",
			"reports upload <a.example> <one> <two> <three>"},
		{"check --strict a.example", "check <a.example> --strict=<>"},
		{"check a.example --json", "check <a.example> --json=<> json"},
		{"--json domains --url http://x", "domains list --json=<> --url=<http://x> json"},
		{"domains --url=http://x=y", "domains list --url=<http://x=y>"},
		{"domains --search=", "domains list --search=<>"},
		{"domains --search --json", "domains list --search=<--json>"},
		{"domains --search a --search b", "domains list --search=<a> --search=<b>"},
		{"check -json a.example", "check <a.example> --json=<> json"},
		{"check -", "check <->"},
		{"check -- --json", "check <--json>"},
		{"check --json -- -h", "check <-h> --json=<> json"},
		{"check -- --", "check <-->"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_string_equal(meaning(cases[i][0]), cases[i][1]);
		assert_string_equal(said, "");
	}
}

static void help_is_asked_for_a_command_a_group_or_all(void **state)
{
	static const char *const cases[][2] = {
		{"help", "help"},
		{"--help", "help"},
		{"-h", "help"},
		{"help domains", "help domains list"},
		{"domains --help", "help domains list"},
		{"domains -h", "help domains list"},
		{"help check", "check help"},
		{"check --help", "check --help=<> help"},
		{"help selectors add", "selectors add help"},
		{"selectors add --help", "selectors add --help=<> help"},
		{"domains list --help", "domains list --help=<> help"},
		{"check a b c -h", "check <a> <b> <c> --help=<> help"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_string_equal(meaning(cases[i][0]), cases[i][1]);
		assert_string_equal(said, "");
	}
}

static void what_is_wrong_with_a_command_line_is_said_in_a_sentence(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"chek", "eds: there is no command \"chek\"; did you mean eds check?\n"},
		{"frobnicate", "eds: there is no command \"frobnicate\"; see eds --help\n"},
		{"audit-log",
			"eds: there is no command \"audit-log\"; did you mean eds tokens log?\n"},
		{"dom list", "eds: there is no command \"dom\"; see eds --help\n"},
		{"domains lst",
			"eds: there is no command \"domains lst\"; did you mean eds domains list?\n"},
		{"tokens rotate", "eds: there is no command \"tokens rotate\"; see eds --help\n"},
		{"--jsno check a", "eds: --jsno is unknown; did you mean --json?\n"},
		{"check --starting=1 a", "eds: --starting is unknown; see eds --help\n"},
		{"check --serach=x a", "eds: --serach is unknown; did you mean --search?\n"},
		{"check a --url", "eds: --url lacks its value; see eds --help\n"},
		{"check a --json=yes", "eds: --json takes no value; see eds --help\n"},
		{"check a --js", "eds: --js is unknown; see eds --help\n"},
		{"check a --by day",
			"eds check: there is no option --by\n"
			"usage: eds check NAME [OPTIONS]\n"},
		{"check", "eds check: NAME is missing\nusage: eds check NAME [OPTIONS]\n"},
		{"check a b",
			"eds check: \"b\" is one word too many\n"
			"usage: eds check NAME [OPTIONS]\n"},
		{"domains list x",
			"eds domains list: \"x\" is one word too many\n"
			"usage: eds domains list [OPTIONS]\n"},
		{"test a b",
			"eds test: \"b\" is one word too many\n"
			"usage: eds test [TESTID] [OPTIONS]\n"},
		{"selectors add",
			"eds selectors add: DOMAIN is missing\n"
			"usage: eds selectors add DOMAIN SELECTOR [OPTIONS]\n"},
		{"selectors add a",
			"eds selectors add: SELECTOR is missing\n"
			"usage: eds selectors add DOMAIN SELECTOR [OPTIONS]\n"},
		{"reports upload a",
			"eds reports upload: FILE is missing\n"
			"usage: eds reports upload DOMAIN FILE... [OPTIONS]\n"},
		{"api GET",
			"eds api: PATH is missing\n"
			"usage: eds api METHOD PATH [BODY] [OPTIONS]\n"},
		{"api GET /x {} y",
			"eds api: \"y\" is one word too many\n"
			"usage: eds api METHOD PATH [BODY] [OPTIONS]\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(read_line(cases[i][0]), CLI_USAGE);
		assert_string_equal(said, cases[i][1]);
	}
}

static void sixty_four_options_are_read_and_one_more_is_refused(void **state)
{
	const char *line = "domains";

	(void)state;
	for (int i = 0; i < 64; i++)
		line = rt_printf(&test_event, "%s --search=%d", line, i);
	assert_int_equal(read_line(line), CLI_DONE);
	assert_string_equal(cli_given(&call, "search"), "63");
	assert_string_equal(cli_given_nth(&call, "search", 0), "0");
	assert_string_equal(cli_given_nth(&call, "search", 62), "62");
	assert_null(cli_given_nth(&call, "search", 64));
	assert_null(cli_given(&call, "sort"));
	assert_int_equal(read_line(rt_printf(&test_event, "%s --json", line)), CLI_USAGE);
	assert_string_equal(said, "eds: --json is one option too many; see eds --help\n");
}

static void a_word_is_found_by_the_name_of_the_argument(void **state)
{
	(void)state;
	assert_int_equal(read_line("api GET /x {}"), CLI_DONE);
	assert_string_equal(cli_word(&call, "METHOD"), "GET");
	assert_string_equal(cli_word(&call, "PATH"), "/x");
	assert_string_equal(cli_word(&call, "BODY"), "{}");
	assert_null(cli_word(&call, "METHODS"));
	assert_null(cli_word(&call, "BOD"));
	assert_int_equal(read_line("api GET /x"), CLI_DONE);
	assert_null(cli_word(&call, "BODY"));
	assert_int_equal(read_line("selectors add a.example s1"), CLI_DONE);
	assert_string_equal(cli_word(&call, "DOMAIN"), "a.example");
	assert_string_equal(cli_word(&call, "SELECTOR"), "s1");
}

static void a_list_has_only_whole_words(void **state)
{
	(void)state;
	assert_true(cli_has_word("limit cursor", "limit"));
	assert_true(cli_has_word("limit  cursor", "cursor"));
	assert_false(cli_has_word("limit cursor", "curso"));
	assert_false(cli_has_word("limits cursor", "limit"));
	assert_false(cli_has_word("limit", "cursor"));
	assert_false(cli_has_word("", "limit"));
	assert_false(cli_has_word(NULL, "limit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_command_is_found_with_its_words_and_options),
		TEST(help_is_asked_for_a_command_a_group_or_all),
		TEST(what_is_wrong_with_a_command_line_is_said_in_a_sentence),
		TEST(sixty_four_options_are_read_and_one_more_is_refused),
		TEST(a_word_is_found_by_the_name_of_the_argument),
		TEST(a_list_has_only_whole_words),
	};

	return cmocka_run_group_tests_name("cli-arguments", tests, NULL, NULL);
}
