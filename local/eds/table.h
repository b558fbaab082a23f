/* A table for people: a line of headings, then one line per row, columns two spaces apart. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "runtime/buffer.h"

enum {
	CLI_COLUMNS_MAX = 9,
	/* maximum number of terminal columns of a cell; a wider cell is cut */
	CLI_CELL_COLUMNS_MAX = 60,
};

struct cli_table {
	struct rt_ctx *ctx;
	/* headings, ended by NULL; '>' before a heading aligns its column to the right */
	const char *const *heads;
	size_t columns;
	const char **cells; /* the cells, row by row */
	size_t cell_count, room;
	size_t widths[CLI_COLUMNS_MAX];
};

void cli_table_init(struct cli_table *table, struct rt_ctx *ctx, const char *const *heads);

/* Adds a row with a cell of clean text for each heading; an empty cell becomes "-". */
void cli_table_add(struct cli_table *table, const char *const *cells);

/* Appends the table to out, or "none" if it has no rows. No line ends with spaces. */
void cli_table_write(const struct cli_table *table, struct rt_buffer *out);

#endif
