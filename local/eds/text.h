/* Text of strangers for a terminal. Escape sequences would move the cursor, change what stands
 * there or answer for the user; direction marks would show a name in another order than it has. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "runtime/buffer.h"

enum cli_lines {
	CLI_ONE_LINE,   /* line ends and tabs become spaces */
	CLI_MANY_LINES, /* line ends stay */
};

/* Control characters (C0, DEL, C1), marks of direction and line separators, and octets that are no
 * UTF-8 become U+FFFD. */
char *cli_clean(struct rt_ctx *ctx, const char *text, size_t length, enum cli_lines lines);

/* JSON that says the same in characters that do nothing to a terminal: those of above become \u
 * escapes. The text has been found to be JSON. */
char *cli_clean_json(struct rt_ctx *ctx, const char *json, size_t length);

/* Columns of a terminal that clean text takes. */
size_t cli_columns(const char *text);

/* The clean text cut to so many columns, with … at its end where something is missing. */
char *cli_cut(struct rt_ctx *ctx, const char *text, size_t columns);

/* Adds the clean text in lines of at most width columns, each behind so many spaces; a longer word
 * stays whole. */
void cli_wrap(struct rt_buffer *out, const char *text, size_t indent, size_t width);

#endif
