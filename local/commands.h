/* The runner's commands, each with its own --help. argv[0] is the command's name. They return the
 * exit status: 0 done, 1 failed, RUNNER_EXIT_USAGE for an invalid command line. */
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

/* Takes `--functions DIR`, `--bootstrap`, `--only PARTS`, `--renew` and `--help` out of the
 * arguments; the remaining arguments start at argv[1]. */
struct command_options {
	const char *functions; /* NULL: beside the runner */
	bool bootstrap;        /* of serve */
	unsigned parts;        /* of serve: command_parts; COMMAND_ALL without --only */
	bool only;             /* of serve: --only was given */
	bool renew;            /* of serve */
	bool help;
};

/* False, with a sentence on standard error, when an option is unknown or lacks its value. Arguments
 * after `--` are not options. */
bool command_options(int *argc, char **argv, struct command_options *options);

#endif
