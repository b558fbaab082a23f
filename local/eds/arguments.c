#include "local/eds/arguments.h"
#include "local/eds/commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "local/eds/help.h"
#include "local/eds/show.h"
#include "runtime/slips.h"

static const struct cli_option *option_in(
	const struct cli_option *options, const char *name, size_t length)
{
	for (; options != NULL && options->name != NULL; options++)
		if (strlen(options->name) == length && memcmp(options->name, name, length) == 0)
			return options;
	return NULL;
}

static void offer_options(struct rt_meant *meant, const struct cli_option *options)
{
	for (; options != NULL && options->name != NULL; options++)
		rt_meant_offer(meant, options->name);
}

/* Finds an option of any command, because the command is not known yet. This is safe, because an
 * option that takes a value does so in every command. */
static const struct cli_option *option_named(const char *name, size_t length)
{
	const struct cli_option *option = option_in(cli_common_options, name, length);

	for (size_t i = 0; option == NULL && cli_groups[i] != NULL; i++)
		for (const struct cli_command *command = cli_groups[i];
			option == NULL && command->name != NULL; command++)
			option = option_in(command->options, name, length);
	return option;
}

/* The known option that was probably meant, without the two hyphens; NULL if none is near. */
static const char *option_meant(const char *name, size_t length)
{
	struct rt_meant meant = {.word = name, .length = length};

	offer_options(&meant, cli_common_options);
	for (size_t i = 0; cli_groups[i] != NULL; i++)
		for (const struct cli_command *command = cli_groups[i]; command->name != NULL;
			command++)
			offer_options(&meant, command->options);
	return meant.found;
}

/* Reads an option; its value follows = or is the next argument. Returns an error message, or NULL.
 */
static const char *take_option(struct cli_call *call, int *at, int argc, char **argv)
{
	const char *name = argv[*at] + strspn(argv[*at], "-");
	size_t length = strcspn(name, "=");
	const struct cli_option *option = strcmp(argv[*at], "-h") == 0 ? option_named("help", 4)
								       : option_named(name, length);
	const char *value = name[length] == '=' ? name + length + 1 : NULL;

	if (option == NULL)
		return "is unknown";
	if (call->given_count == CLI_GIVEN_MAX)
		return "is one option too many";
	if (option->value == NULL && value != NULL)
		return "takes no value";
	if (option->value != NULL && value == NULL && *at + 1 < argc)
		value = argv[++*at];
	if (option->value != NULL && value == NULL)
		return "lacks its value";
	call->given[call->given_count].option = option;
	call->given[call->given_count++].value = value != NULL ? value : "";
	return NULL;
}

/* Prints what is wrong with an option, such as "--sarch is unknown; did you mean --search?". */
static void complain_option(const struct cli_call *call, const char *argument, const char *wrong)
{
	const char *name = argument + strspn(argument, "-");
	int length = (int)strcspn(argument, "=");
	const char *meant = option_meant(name, strcspn(name, "="));
	bool known = option_named(name, strcspn(name, "=")) != NULL;

	if (!known && meant != NULL)
		cli_complain(call, "%.*s %s; did you mean --%s?", length, argument, wrong, meant);
	else
		cli_complain(call, "%.*s %s; see eds --help", length, argument, wrong);
}

/* Separates options from words; false after printing the error on standard error. */
static bool split(struct cli_call *call, int argc, char **argv)
{
	bool only_words = false;

	call->words = rt_alloc(call->ctx, (size_t)argc * sizeof call->words[0]);
	for (int i = 1; i < argc; i++) {
		const char *argument = argv[i];

		if (!only_words && strcmp(argument, "--") == 0) {
			only_words = true;
		} else if (!only_words && argument[0] == '-' && argument[1] != '\0') {
			const char *wrong = take_option(call, &i, argc, argv);

			if (wrong != NULL) {
				complain_option(call, argument, wrong);
				return false;
			}
		} else {
			call->words[call->word_count++] = argument;
		}
	}
	return true;
}

static bool is_first_word(const char *name, const char *word)
{
	return strcspn(name, " ") == strlen(word) && strncmp(name, word, strlen(word)) == 0;
}

static const struct cli_command *group_named(const char *word)
{
	for (size_t i = 0; cli_groups[i] != NULL; i++)
		if (is_first_word(cli_groups[i]->name, word))
			return cli_groups[i];
	return NULL;
}

/* The action of "selectors add", its second word; NULL for a command of one word. */
static const char *action_of(const struct cli_command *command)
{
	const char *space = strchr(command->name, ' ');

	return space != NULL ? space + 1 : NULL;
}

static const struct cli_command *action_named(const struct cli_command *group, const char *word)
{
	for (; group->name != NULL; group++)
		if (strcmp(action_of(group), word) == 0)
			return group;
	return NULL;
}

/* Offers the first word of the name as a word that the user may have meant. */
static void offer(const struct cli_call *call, struct rt_meant *meant, const char *name)
{
	rt_meant_offer(meant, rt_memdup(call->ctx, name, strcspn(name, " ")));
}

static int unknown(
	const struct cli_call *call, const char *said, const char *before, const char *meant)
{
	if (meant != NULL)
		cli_complain(call, "there is no command \"%s%s\"; did you mean eds %s%s?", before,
			said, before, meant);
	else
		cli_complain(call, "there is no command \"%s%s\"; see eds --help", before, said);
	return CLI_USAGE;
}

/* Words that people may type as a group of commands, because the API has a subject of that name. */
static const struct {
	const char *word, *sentence;
} elsewhere[] = {
	{"audit-log", "did you mean eds tokens log?"},
};

static const char *elsewhere_named(const char *word)
{
	for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
		if (strcmp(elsewhere[i].word, word) == 0)
			return elsewhere[i].sentence;
	return NULL;
}

static int unknown_group(struct cli_call *call, const char *word)
{
	const char *sentence = elsewhere_named(word);
	struct rt_meant meant = {.word = word, .length = strlen(word)};

	if (sentence != NULL) {
		cli_complain(call, "there is no command \"%s\"; %s", word, sentence);
		return CLI_USAGE;
	}
	for (size_t i = 0; cli_groups[i] != NULL; i++)
		offer(call, &meant, cli_groups[i]->name);
	return unknown(call, word, "", meant.found);
}

static int unknown_action(struct cli_call *call, const struct cli_command *group, const char *word)
{
	char *before = rt_memdup(call->ctx, group->name, strcspn(group->name, " ") + 1);
	struct rt_meant meant = {.word = word, .length = strlen(word)};

	for (const struct cli_command *one = group; one->name != NULL; one++)
		offer(call, &meant, action_of(one));
	return unknown(call, word, before, meant.found);
}

static void drop_words(struct cli_call *call, size_t count)
{
	call->word_count -= count;
	memmove(call->words, call->words + count, call->word_count * sizeof call->words[0]);
}

/* Finds the command. A group without an action means its first command: eds domains lists the
 * domains. With --help it means the group: call->command stays NULL. */
static int find_command(struct cli_call *call, const struct cli_command *group)
{
	if (action_of(group) == NULL || call->word_count == 1) {
		call->command = action_of(group) != NULL && call->help ? NULL : group;
		drop_words(call, 1);
		return CLI_DONE;
	}
	call->command = action_named(group, call->words[1]);
	if (call->command == NULL)
		return unknown_action(call, group, call->words[1]);
	drop_words(call, 2);
	return CLI_DONE;
}

static size_t words_in(const char *arguments, bool needed)
{
	size_t count = 0;

	for (; *arguments != '\0'; arguments += strspn(arguments, " ")) {
		count += !needed || *arguments != '[';
		arguments += strcspn(arguments, " ");
	}
	return count;
}

/* True if the last argument may be given many times, as in "DOMAIN FILE...". */
static bool takes_many(const char *arguments)
{
	return strstr(arguments, "...") != NULL;
}

/* The name of the n-th argument, from 0, in "DOMAIN SELECTOR". */
static const char *argument_name(const struct cli_call *call, size_t n)
{
	const char *at = call->command->arguments;

	while (n-- > 0) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	return rt_memdup(call->ctx, at, strcspn(at, " ."));
}

static int check_command(const struct cli_call *call)
{
	const struct cli_command *command = call->command;

	for (size_t i = 0; i < call->given_count; i++) {
		const char *name = call->given[i].option->name;

		if (option_in(cli_common_options, name, strlen(name)) == NULL &&
			option_in(command->options, name, strlen(name)) == NULL)
			return cli_usage(call, "there is no option --%s", name);
	}
	if (call->help)
		return CLI_DONE;
	if (call->word_count < words_in(command->arguments, true))
		return cli_usage(call, "%s is missing", argument_name(call, call->word_count));
	if (!takes_many(command->arguments) &&
		call->word_count > words_in(command->arguments, false))
		return cli_usage(
			call, "\"%s\" is one word too many", call->words[call->word_count - 1]);
	return CLI_DONE;
}

int cli_usage(const struct cli_call *call, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	cli_complain_named(call, "%s", text);
	cli_usage_line(call->command, stderr);
	return CLI_USAGE;
}

int cli_read_arguments(
	struct cli_call *call, int argc, char **argv, const struct cli_command **group)
{
	int status = CLI_DONE;

	*group = NULL;
	if (!split(call, argc, argv))
		return CLI_USAGE;
	call->help = cli_given(call, "help") != NULL;
	call->json = cli_given(call, "json") != NULL;
	if (call->word_count > 0 && strcmp(call->words[0], "help") == 0) {
		call->help = true;
		drop_words(call, 1);
	}
	if (call->word_count == 0)
		return call->help ? CLI_DONE : CLI_USAGE;
	*group = group_named(call->words[0]);
	if (*group == NULL)
		return unknown_group(call, call->words[0]);
	status = find_command(call, *group);
	return status == CLI_DONE && call->command != NULL ? check_command(call) : status;
}
