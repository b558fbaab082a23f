/* Makes untrusted text safe for a terminal. Escape sequences could move the cursor, overwrite
 * text or send input as the user; direction marks could show a name in another order. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "runtime/buffer.h"

enum cli_lines {
	CLI_ONE_LINE,   /* line ends and tabs become spaces */
	CLI_MANY_LINES, /* line ends are kept */
};

/* Replaces control characters (C0, DEL, C1), direction marks, line separators and octets that are
 * not UTF-8 by U+FFFD. Exceptions: tabs and CR become spaces, and LF stays with CLI_MANY_LINES,
 * else it becomes a space. */
char *cli_clean(struct rt_ctx *ctx, const char *text, size_t length, enum cli_lines lines);

/* The same JSON value without characters that may harm a terminal: each character that cli_clean()
 * replaces by U+FFFD becomes a \u escape. CR is left out. The text must be valid JSON. */
char *cli_clean_json(struct rt_ctx *ctx, const char *json, size_t length);

/* The number of terminal columns that clean text takes. */
size_t cli_columns(const char *text);

/* Clean text cut to at most `columns` terminal columns; … at the end marks a cut. */
char *cli_cut(struct rt_ctx *ctx, const char *text, size_t columns);

/* Appends clean text in lines of at most width columns, each indented by `indent` spaces. A word
 * that is longer than a line is not split. */
void cli_wrap(struct rt_buffer *out, const char *text, size_t indent, size_t width);

#endif
