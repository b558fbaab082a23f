/* eds, the command line tool for people: the description of a command, and the data of one call.
 *
 * A group's file has a table of its commands: most consist of one request, given by its method and
 * path, and a function that shows the answer. The service's answers contain untrusted text (from
 * DNS, mail, reports), so they reach the terminal only through local/eds/show.h.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "runtime/json.h"

/* Exit statuses, documented in eds --help and local/eds/eds.1. */
enum cli_status {
	CLI_DONE = 0,        /* success, and no errors found */
	CLI_NOT_WELL = 1,    /* success, but errors found */
	CLI_REFUSED = 2,     /* bad token, unknown domain, too many requests */
	CLI_UNAVAILABLE = 3, /* the service cannot be reached, or failed */
	CLI_UNDECIDED = 4,   /* no mail arrived in time, or DNS did not answer */
	CLI_USAGE = 64,      /* EX_USAGE of sysexits.h */
};

enum {
	CLI_GIVEN_MAX = 64, /* options of one command line */
	CLI_ANSWER_BYTES_MAX = 16 * 1024 * 1024,
};

struct cli_option {
	const char *name;  /* without the two hyphens; NULL ends a list */
	const char *value; /* "FILE"; NULL for a flag */
	const char *help;
};

struct cli_usual {
	const char *name, *value;
};

struct cli_call;

struct cli_command {
	const char *name;      /* "selectors add": a group and an action; or one word */
	const char *arguments; /* "DOMAIN SELECTOR"; optional ones in brackets; "FILE...": many */
	const char *summary;
	const struct cli_option *options; /* besides the common options; NULL for none */
	bool open;                        /* neither needs nor sends a token */
	const char *method;
	const char *path;  /* {DOMAIN} is the id of the domain, {SELECTOR} an argument, {SCOPE} the
			      domain that --domain names, or the account */
	const char *query; /* options that become query parameters: "limit cursor" */
	const struct cli_usual *usual;          /* parameter sent when its option is not given */
	json_t *(*body)(struct cli_call *call); /* returns NULL after printing the error */
	int (*show)(struct cli_call *call, const json_t *data); /* returns the exit status */
	int (*run)(struct cli_call *call);                      /* replaces the request and show */
	const char *more; /* the rest of its help; NULL for none */
};

struct cli_call {
	struct rt_ctx *ctx;
	const struct cli_command *command;
	const char **words; /* the arguments, without the command's name */
	size_t word_count;
	struct {
		const struct cli_option *option;
		const char *value; /* "" for a flag */
	} given[CLI_GIVEN_MAX];
	size_t given_count;
	const char *url;   /* of the service, without final slash */
	const char *token; /* NULL: none */
	bool json;
	bool help;
};

/* The groups' tables, each ended by a name of NULL; the list ends with NULL. */
extern const struct cli_command *const cli_groups[];
extern const struct cli_option cli_common_options[];

#endif
