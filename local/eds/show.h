/* Prints the service's answers on the terminal. The functions clean the text: the service passes on
 * text that others wrote, and control characters in it could command the terminal. With --json
 * standard output gets only the answer, without the text for people. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "local/eds/command.h"
#include "local/eds/table.h"

/* A member as clean text on one line: a string, a number, yes or no, the strings of an array with
 * commas between them, or the message of an object such as {"code", "message"}; "-" if it is null,
 * missing or an empty array. */
const char *cli_text(const struct cli_call *call, const json_t *object, const char *name);

/* A time as "2026-01-31 23:59", in UTC. */
const char *cli_time(const struct cli_call *call, const json_t *object, const char *name);

/* The members with this name of all objects in an array, as one text: cli_each() puts "; " between
 * them, cli_sentences() a space. */
const char *cli_each(const struct cli_call *call, const json_t *array, const char *name);
const char *cli_sentences(const struct cli_call *call, const json_t *array, const char *name);

/* The exit status of a check with this result: CLI_UNDECIDED when all errors have codes
 * "…-temporary", which mean that DNS did not answer. */
int cli_checked(bool valid, const json_t *errors);

/* Prints a text on standard output, cleaned as by cli_clean() with CLI_MANY_LINES. With --json this
 * function prints nothing; the same is true of the other functions down to cli_print_members(). */
void cli_print(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);
void cli_print_table(const struct cli_call *call, const struct cli_table *table);

/* Prints a text in lines that fit the terminal (at most 100 columns), each indented by `indent`
 * spaces. */
void cli_print_wrapped(const struct cli_call *call, const char *text, size_t indent);

/* Prints a record {"name", "type", "value", "old", "note"}: a line "NAME TYPE VALUE", which the
 * user can copy, then old and note on lines of their own. value is null if only the user knows it;
 * old and note may be missing. */
void cli_print_record(const struct cli_call *call, const json_t *record, size_t indent);
void cli_print_records(const struct cli_call *call, const json_t *records, const char *title);

/* Prints a line "label   value" for each pair of a label and a member's name; the list ends with
 * NULL. */
void cli_print_members(
	const struct cli_call *call, const json_t *object, const char *const (*members)[2]);

/* Prints clean text on standard error, after "eds: ". */
void cli_complain(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);

/* Prints clean text on standard error, after the name of the command, as in "eds check: ". */
void cli_complain_named(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);

/* Prints the answer as JSON; only characters that affect a terminal are escaped. */
void cli_print_json(const struct cli_call *call, const char *json, size_t length);

#endif
