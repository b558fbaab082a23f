/* Prints the service's answers on the terminal. All output goes through here, so that its text is
 * clean. With --json only the answer is printed, without the text for people. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "local/eds/command.h"
#include "local/eds/table.h"

/* A member as clean text on one line: a string, a number, yes or no, the strings of an array with
 * commas between them, the message of an object such as {"code", "message"}; "-" for null and for a
 * missing member. */
const char *cli_text(const struct cli_call *call, const json_t *object, const char *name);

/* A time as "2026-01-31 23:59", in UTC. */
const char *cli_time(const struct cli_call *call, const json_t *object, const char *name);

/* The strings with this name in the elements of an array, with "; " between them; or, for
 * sentences, with a space. */
const char *cli_each(const struct cli_call *call, const json_t *array, const char *name);
const char *cli_sentences(const struct cli_call *call, const json_t *array, const char *name);

/* The exit status of a check that is valid or has these errors: CLI_UNDECIDED when each of them is
 * that DNS did not answer, the codes "…-temporary". */
int cli_checked(bool valid, const json_t *errors);

/* Prints; control characters except line ends become U+FFFD. */
void cli_print(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);
void cli_print_table(const struct cli_call *call, const struct cli_table *table);

/* Prints a sentence in lines of the terminal's width, each indented by so many spaces. */
void cli_print_wrapped(const struct cli_call *call, const char *text, size_t indent);

/* Prints {"name", "type", "value", "old", "note"} on separate lines that can be copied; value is
 * null if only the user knows it; there may be no note. */
void cli_print_record(const struct cli_call *call, const json_t *record, size_t indent);
void cli_print_records(const struct cli_call *call, const json_t *records, const char *title);

/* Prints a line "name   value" for each pair of a label and a member's name; the list ends with
 * NULL. */
void cli_print_members(
	const struct cli_call *call, const json_t *object, const char *const (*members)[2]);

/* Prints clean text on standard error, after "eds: ". */
void cli_complain(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);

/* The same after the name of the command: "eds check: ". */
void cli_complain_named(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);

/* Prints the answer as JSON; only characters that affect a terminal are escaped. */
void cli_print_json(const struct cli_call *call, const char *json, size_t length);

#endif
