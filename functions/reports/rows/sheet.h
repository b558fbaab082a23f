/* Writes a table as CSV (RFC 4180), or as JSON Lines, one object per line. The texts of a report
 * are untrusted, and a spreadsheet runs a cell that begins with = + - or @ as a formula. So in CSV
 * an apostrophe is put before such a text. Some spreadsheets begin a new cell at a semicolon, a tab
 * or a line end within a text. So an apostrophe is also put after such a character if a formula
 * follows it.
 *
 *     "day","source","messages"             {"day":"2026-01-31","source":"192.0.2.1","messages":3}
 *     "2026-01-31","192.0.2.1",3
 */
#ifndef REPORTS_SHEET_H
#define REPORTS_SHEET_H

#include "runtime/buffer.h"

enum report_sheet_format { REPORT_SHEET_CSV, REPORT_SHEET_JSONL };

struct report_sheet {
	struct rt_buffer *out;
	enum report_sheet_format format;
	const char *const *columns; /* names of the columns, ended by NULL */
	size_t column;              /* index of the column that is written next */
};

/* Writes the first line of CSV; nothing in JSON Lines. */
void report_sheet_head(struct report_sheet *sheet);

/* Write the next cell of a line, in the order of the columns; the last cell ends the line. text:
 * NULL for an empty cell. */
void report_sheet_text(struct report_sheet *sheet, const char *text);
void report_sheet_count(struct report_sheet *sheet, int64_t count);

#endif
