/* What the service answered, on the terminal: the only way there, so that its text is clean. With
 * --json the answer is printed as it is and all that is for people is left out. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "local/eds/command.h"
#include "local/eds/table.h"

/* A member as clean text on one line: a string, a number, yes or no, the strings of an array with
 * commas between them; "-" for null and what is not there. */
const char *cli_text(const struct cli_call *call, const json_t *object, const char *name);

/* A time as "2026-01-31 23:59", in UTC. */
const char *cli_time(const struct cli_call *call, const json_t *object, const char *name);

/* The strings under this name in the elements of an array, with "; " between them. */
const char *cli_each(const struct cli_call *call, const json_t *array, const char *name);

/* Prints; control characters in it but the ends of lines become U+FFFD. */
void cli_print(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);
void cli_print_table(const struct cli_call *call, const struct cli_table *table);

/* A sentence, in lines of the terminal's width behind so many spaces. */
void cli_print_wrapped(const struct cli_call *call, const char *text, size_t indent);

/* {"name", "type", "value", "old"}, on lines of its own that can be copied; a value that only the
 * user knows is null. */
void cli_print_record(const struct cli_call *call, const json_t *record, size_t indent);
void cli_print_records(const struct cli_call *call, const json_t *records, const char *title);

/* "name   value", one for each pair of a label and a member's name; ends with NULL. */
void cli_print_members(
	const struct cli_call *call, const json_t *object, const char *const (*members)[2]);

/* To standard error, clean, behind "eds: ". */
void cli_complain(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);

/* The answer as it is. */
void cli_print_json(const struct cli_call *call, const char *json, size_t length);

#endif
