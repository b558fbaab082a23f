/* The options of the runner's commands. Each command has its own --help. argv[0] is the command's
 * name. Each command returns the exit status: 0 done, 1 failed, RUNNER_EXIT_USAGE for an invalid
 * command line. */
#ifndef RUNNER_COMMANDS_H
#define RUNNER_COMMANDS_H

#include <stdbool.h>

enum {
	RUNNER_EXIT_USAGE = 64, /* EX_USAGE of sysexits.h */
};

/* The parts that `serve` runs; it always serves the operations port too. */
enum command_parts {
	COMMAND_HTTP = 1,
	COMMAND_SMTP = 2,
	COMMAND_SCHEDULE = 4,
	COMMAND_ALL = COMMAND_HTTP | COMMAND_SMTP | COMMAND_SCHEDULE,
};

/* The options `--functions DIR`, `--bootstrap`, `--only PARTS`, `--renew` and `--help`. */
struct command_options {
	const char *functions; /* folder of the functions; NULL: `functions` beside the runner */
	bool bootstrap;        /* for serve: --bootstrap was given */
	/* for serve: the parts to run (command_parts); COMMAND_ALL without --only */
	unsigned parts;
	bool only;  /* for serve: --only was given */
	bool renew; /* for serve: --renew was given */
	bool help;
};

/* Reads the options and removes them from the arguments; the rest begins at argv[1]. Arguments
 * after `--` are not options. False, with a sentence on standard error, when an option is unknown
 * or lacks its value. */
bool command_options(int *argc, char **argv, struct command_options *options);

#endif
