/* A table as a file: CSV (RFC 4180), or JSON Lines, an object a line. Texts of a report are
 * strangers': a spreadsheet takes a cell that begins with = + - or @ for a formula and runs it, so
 * in CSV an apostrophe goes before it. So it does behind a semicolon, a tab or a line end in a
 * text, where another spreadsheet begins a cell.
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
	const char *const *columns; /* a NULL ends them */
	size_t column;              /* the next */
};

/* The first line of CSV; nothing in JSON Lines. */
void report_sheet_head(struct report_sheet *sheet);

/* The cells of a line, in the order of the columns; the last one ends it. text: NULL for none. */
void report_sheet_text(struct report_sheet *sheet, const char *text);
void report_sheet_count(struct report_sheet *sheet, int64_t count);

#endif
