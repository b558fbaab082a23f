/* A table for people: a line of heads, then a line a row, columns two spaces apart. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "runtime/buffer.h"

enum {
	CLI_COLUMNS_MAX = 8,
	CLI_CELL_COLUMNS_MAX = 60, /* of a terminal; a longer cell is cut */
};

struct cli_table {
	struct rt_ctx *ctx;
	const char *const *heads; /* ends with NULL; of numbers, to the right, behind '>' */
	size_t columns;
	const char **cells; /* row by row */
	size_t cell_count, room;
	size_t widths[CLI_COLUMNS_MAX];
};

void cli_table_init(struct cli_table *table, struct rt_ctx *ctx, const char *const *heads);

/* A row of as many cells as there are heads, of clean text; "-" stands for an empty one. */
void cli_table_add(struct cli_table *table, const char *const *cells);

/* "none" for a table without rows. No line ends with spaces. */
void cli_table_write(const struct cli_table *table, struct rt_buffer *out);

#endif
