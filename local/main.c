/* runner: serves the functions of a folder on one machine, as a cloud would. */
#include <stdio.h>
#include <string.h>

#include "local/commands.h"
#include "local/deliver.h"
#include "local/event-sample.h"
#include "local/invoke.h"
#include "local/replay.h"
#include "local/routes.h"
#include "local/serve/serve.h"
#include "local/spool-command.h"
#include "runtime/version.h"

static const char usage[] =
	"usage: runner COMMAND [ARGUMENTS]\n\n  serve                       answer HTTP, take "
	"mail, run schedules\n  invoke NAME [EVENT]         run one function once; EVENT is a "
	"file, or - for standard input\n  deliver FILE --to ADDRESS   hand a message to its "
	"function, without SMTP\n  event http|schedule|mail    print a sample event\n  replay "
	"[ID]                 run one of the last events again\n  spool list|retry|drop       list "
	"mail that waits or failed, retry or drop failed mail\n  routes                      list "
	"what is served where\n\nrunner COMMAND --help describes a command; runner --version "
	"prints the release.\nThe configuration is in environment variables, EDS_*; README.md "
	"lists them.\n\nTry:  runner serve\n      runner event http POST "
	"/api/inbound-tester/sessions | runner invoke tester-session-create -\n";

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{"serve", serve_main},
	{"invoke", invoke_main},
	{"deliver", deliver_main},
	{"event", sample_main},
	{"replay", replay_main},
	{"spool", spool_main},
	{"routes", routes_main},
};

static bool asks_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

int main(int argc, char **argv)
{
	if (rt_version_asked(argc, argv))
		return 0;
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (argc > 1 && asks_help(argv[1])) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc > 1)
		fprintf(stderr, "runner: there is no command \"%s\"\n\n", argv[1]);
	fputs(usage, stderr);
	return RUNNER_EXIT_USAGE;
}
