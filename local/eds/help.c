#include "local/eds/help.h"

#include <string.h>

static const char head[] =
	"usage: eds COMMAND [ARGUMENTS] [OPTIONS]\n\nAsks an email domain security service whether "
	"the mail of a domain is set up well and whether\na message would arrive.\n";

static const char statuses[] =
	"\nexit status:\n"
	"  0   success, and no error was found\n"
	"  1   an error was found, or the message is not good\n"
	"  2   refused: wrong token, unknown domain, too many requests, not confirmed\n"
	"  3   the service cannot be reached, or failed\n"
	"  4   undecided: no mail arrived in time, DNS did not answer, or the sender's IP address is\n"
	"      not public\n"
	"  64  the command line is wrong\n";

static const char examples[] =
	"\nTry:  eds check example.com\n      eds test\n      EDS_TOKEN=… eds domains list\n\n"
	"eds COMMAND --help describes a command; eds --version prints the release.\n";

static void print_options(const struct cli_option *options, FILE *out)
{
	for (; options != NULL && options->name != NULL; options++) {
		char left[64];

		snprintf(left, sizeof left, "--%s%s%s", options->name,
			options->value != NULL ? " " : "",
			options->value != NULL ? options->value : "");
		fprintf(out, "  %-24s %s\n", left, options->help);
	}
}

static void print_summary(const struct cli_command *command, FILE *out)
{
	char left[96];

	snprintf(left, sizeof left, "%s%s%s", command->name,
		command->arguments[0] != '\0' ? " " : "", command->arguments);
	fprintf(out, "  %-36s %s\n", left, command->summary);
}

static void print_group(const struct cli_command *group, FILE *out)
{
	for (; group->name != NULL; group++)
		print_summary(group, out);
}

void cli_help(FILE *out)
{
	fprintf(out, "%s\n", head);
	for (size_t i = 0; cli_groups[i] != NULL; i++)
		print_group(cli_groups[i], out);
	fputs("\noptions of all commands:\n", out);
	print_options(cli_common_options, out);
	fputs(statuses, out);
	fputs(examples, out);
}

void cli_help_group(const struct cli_command *group, FILE *out)
{
	fprintf(out, "usage: eds %.*s ACTION [ARGUMENTS] [OPTIONS]\n\n",
		(int)strcspn(group->name, " "), group->name);
	print_group(group, out);
	fputs("\noptions of all commands:\n", out);
	print_options(cli_common_options, out);
}

void cli_usage_line(const struct cli_command *command, FILE *out)
{
	fprintf(out, "usage: eds %s%s%s [OPTIONS]\n", command->name,
		command->arguments[0] != '\0' ? " " : "", command->arguments);
}

void cli_help_command(const struct cli_command *command, FILE *out)
{
	cli_usage_line(command, out);
	fprintf(out, "\n%s.\n", command->summary);
	if (command->more != NULL)
		fprintf(out, "\n%s", command->more);
	fputs("\noptions:\n", out);
	print_options(command->options, out);
	print_options(cli_common_options, out);
	fputs(statuses, out);
}
