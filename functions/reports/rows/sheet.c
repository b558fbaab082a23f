#include "functions/reports/rows/sheet.h"

#include <string.h>

#include "runtime/text/json-string.h"

/* Skips quotes and blanks, because some spreadsheets ignore them before a formula. */
static bool is_formula(const char *text)
{
	char first = text[strspn(text, "\" ")];

	return first != '\0' && strchr("=+-@", first) != NULL;
}

/* A leading tab or line end needs an apostrophe too. */
static bool begins_apart(const char *text)
{
	return *text != '\0' && strchr("\t\r\n", *text) != NULL;
}

static void put_plain(struct rt_buffer *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		rt_buffer_add(out, text[i] == '"' ? "\"\"" : text + i, text[i] == '"' ? 2 : 1);
}

/* A spreadsheet that separates cells by ; or tab begins a cell after each of these within a
 * text. */
static void put_csv(struct rt_buffer *out, const char *text)
{
	rt_buffer_text(out, begins_apart(text) ? "\"'" : "\"");
	for (;;) {
		size_t part = strcspn(text, ";\t\r\n");

		if (is_formula(text))
			rt_buffer_text(out, "'");
		put_plain(out, text, part);
		text += part;
		if (*text == '\0')
			break;
		rt_buffer_add(out, text++, 1);
	}
	rt_buffer_text(out, "\"");
}

static void begin_cell(struct report_sheet *sheet)
{
	struct rt_buffer *out = sheet->out;
	const char *name = sheet->columns[sheet->column];

	if (sheet->format == REPORT_SHEET_CSV) {
		rt_buffer_text(out, sheet->column > 0 ? "," : "");
		return;
	}
	rt_buffer_text(out, sheet->column > 0 ? "," : "{");
	rt_json_string_add(out, name, strlen(name));
	rt_buffer_text(out, ":");
}

static void end_cell(struct report_sheet *sheet)
{
	if (sheet->columns[++sheet->column] != NULL)
		return;
	rt_buffer_text(sheet->out, sheet->format == REPORT_SHEET_CSV ? "\r\n" : "}\n");
	sheet->column = 0;
}

void report_sheet_head(struct report_sheet *sheet)
{
	if (sheet->format == REPORT_SHEET_CSV)
		do
			report_sheet_text(sheet, sheet->columns[sheet->column]);
		while (sheet->column > 0);
}

void report_sheet_text(struct report_sheet *sheet, const char *text)
{
	begin_cell(sheet);
	if (sheet->format == REPORT_SHEET_CSV)
		put_csv(sheet->out, text != NULL ? text : "");
	else if (text != NULL)
		rt_json_string_add(sheet->out, text, strlen(text));
	else
		rt_buffer_text(sheet->out, "null");
	end_cell(sheet);
}

void report_sheet_count(struct report_sheet *sheet, int64_t count)
{
	begin_cell(sheet);
	rt_buffer_integer(sheet->out, count);
	end_cell(sheet);
}
