#include "functions/reports/rows/sheet.h"

#include <string.h>

#include "runtime/text/json-string.h"

/* Characters that some spreadsheets skip before a formula: quotes, blanks, and invisible ones
 * (no-break space, zero width space, joiners and marks of direction, line and paragraph separators,
 * byte order mark, ideographic space). */
static const char *const ignored[] = {"\"", " ", "\xc2\xa0", "\xe2\x80\x8b", "\xe2\x80\x8c",
	"\xe2\x80\x8d", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9",
	"\xe2\x81\xa0", "\xef\xbb\xbf", "\xe3\x80\x80", NULL};

/* Characters that begin a formula, with the full-width forms that spreadsheets accept in East Asian
 * languages. */
static const char *const formulas[] = {
	"=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0", NULL};

/* The length of the element of `marks` with which the text begins; 0 if it begins with none. */
static size_t mark_length(const char *text, const char *const *marks)
{
	for (; *marks != NULL; marks++)
		if (strncmp(text, *marks, strlen(*marks)) == 0)
			return strlen(*marks);
	return 0;
}

static bool is_formula(const char *text)
{
	size_t length;

	while ((length = mark_length(text, ignored)) > 0)
		text += length;
	return mark_length(text, formulas) > 0;
}

/* True for a text that begins with a tab or a line end. Like a formula, such a text gets an
 * apostrophe before it. */
static bool begins_apart(const char *text)
{
	return *text != '\0' && strchr("\t\r\n", *text) != NULL;
}

static void put_plain(struct rt_buffer *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		rt_buffer_add(out, text[i] == '"' ? "\"\"" : text + i, text[i] == '"' ? 2 : 1);
}

/* Writes a cell. Some spreadsheets begin another cell at each semicolon, tab or line end, so the
 * text after each of these is also checked for a formula. */
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
