/* eds, the command line tool for people: the description of a command, and the data of one call.
 *
 * The file of a group has a table of its commands. Most rows consist of one request, given by its
 * method and path, and a function that shows the answer. The service's answers contain untrusted
 * text (from DNS, mail, reports), so it is printed through local/eds/show.h. Two files print such
 * text on their own: removal.c cleans it, and export.c cleans it when standard output is a
 * terminal.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "runtime/json.h"

/* Exit statuses, documented in eds --help and local/eds/eds.1. */
enum cli_status {
	CLI_DONE = 0,     /* success, and no errors were found */
	CLI_NOT_WELL = 1, /* success, but errors were found */
	/* there is no token; the service refused the request (bad token, unknown domain, too many
	 * requests and the like); the mail server refused the message; or a removal was not
	 * confirmed */
	CLI_REFUSED = 2,
	CLI_UNAVAILABLE = 3, /* the service cannot be reached, or failed */
	CLI_UNDECIDED = 4, /* no mail in time, no answer from DNS, or the sender's IP address is not
			    * public */
	CLI_USAGE = 64,    /* EX_USAGE of sysexits.h */
};

enum {
	CLI_GIVEN_MAX = 64, /* maximum number of options in a command line */
	CLI_ANSWER_BYTES_MAX = 16 * 1024 * 1024,
};

struct cli_option {
	const char *name;  /* name without the two hyphens; NULL ends a list */
	const char *value; /* name of the value: "FILE"; NULL for a flag */
	const char *help;
};

/* A query parameter and the value that is sent when its option is not given. */
struct cli_usual {
	const char *name, *value;
};

struct cli_call;

struct cli_command {
	const char *name; /* group and action, "selectors add", or one word */
	/* names of the arguments, "DOMAIN SELECTOR"; optional ones in brackets; "FILE...": one or
	 * more */
	const char *arguments;
	const char *summary;
	const struct cli_option *options; /* options beside the common ones; NULL for none */
	bool open;                        /* the command neither needs nor sends a token */
	const char *method;
	/* Path of the request, with placeholders. {DOMAIN} becomes the id of the domain. Most
	 * others, such as {SELECTOR}, become the argument of the same name. {SCOPE} becomes the
	 * part of the path for the domain that --domain names; without --domain it becomes nothing,
	 * which means the whole account. */
	const char *path;
	const char *query; /* options that become query parameters: "limit cursor" */
	/* parameter to send when its option is not given; NULL: none */
	const struct cli_usual *usual;
	json_t *(*body)(struct cli_call *call); /* makes the body; NULL after printing an error */
	/* shows the answer; returns the exit status */
	int (*show)(struct cli_call *call, const json_t *data);
	/* runs the command; NULL: the command sends its request and calls show */
	int (*run)(struct cli_call *call);
	const char *more; /* further lines of the command's help; NULL for none */
};

struct cli_call {
	struct rt_ctx *ctx;
	const struct cli_command *command;
	const char **words; /* the arguments, without the name of the command */
	size_t word_count;
	struct {
		const struct cli_option *option;
		const char *value; /* value of the option; "" for a flag */
	} given[CLI_GIVEN_MAX];
	size_t given_count;
	const char *url;   /* URL of the service, without a final slash */
	const char *token; /* the access token; NULL for none */
	bool json;
	bool help;
};

/* The tables of the groups. A table ends with a row whose name is NULL; the list ends with NULL. */
extern const struct cli_command *const cli_groups[];
extern const struct cli_option cli_common_options[];

#endif
