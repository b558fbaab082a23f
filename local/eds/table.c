#include "local/eds/table.h"

#include "local/eds/text.h"

static const char *head_text(const char *head)
{
	return head[0] == '>' ? head + 1 : head;
}

void cli_table_init(struct cli_table *table, struct rt_ctx *ctx, const char *const *heads)
{
	*table = (struct cli_table){.ctx = ctx, .heads = heads};
	for (size_t i = 0; i < CLI_COLUMNS_MAX && heads[i] != NULL; i++) {
		table->widths[i] = cli_columns(head_text(heads[i]));
		table->columns++;
	}
}

void cli_table_add(struct cli_table *table, const char *const *cells)
{
	for (size_t i = 0; i < table->columns; i++) {
		const char *cell = cli_cut(
			table->ctx, cells[i][0] == '\0' ? "-" : cells[i], CLI_CELL_COLUMNS_MAX);
		size_t width = cli_columns(cell);

		table->cells = rt_grow(table->ctx, table->cells, table->cell_count, &table->room,
			sizeof *table->cells);
		table->cells[table->cell_count++] = cell;
		if (width > table->widths[i])
			table->widths[i] = width;
	}
}

static void add_spaces(struct rt_buffer *out, size_t count)
{
	while (count-- > 0)
		rt_buffer_add(out, " ", 1);
}

static void write_row(
	const struct cli_table *table, struct rt_buffer *out, const char *const *cells)
{
	for (size_t i = 0; i < table->columns; i++) {
		const char *cell = cells == table->heads ? head_text(cells[i]) : cells[i];
		size_t padding = table->widths[i] - cli_columns(cell);
		bool right = table->heads[i][0] == '>';
		bool last = i + 1 == table->columns;

		add_spaces(out, right ? padding : 0);
		rt_buffer_text(out, cell);
		add_spaces(out, right || last ? 0 : padding);
		rt_buffer_text(out, last ? "\n" : "  ");
	}
}

void cli_table_write(const struct cli_table *table, struct rt_buffer *out)
{
	if (table->cell_count == 0) {
		rt_buffer_text(out, "none\n");
		return;
	}
	write_row(table, out, table->heads);
	for (size_t i = 0; i < table->cell_count; i += table->columns)
		write_row(table, out, table->cells + i);
}
