#include "local/eds/show.h"
#include "runtime/time.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "local/eds/text.h"

enum {
	WIDTH_USUAL = 80,
	WIDTH_LEAST = 40,
	WIDTH_MOST = 100, /* longer lines are hard to read */
	LABEL_COLUMNS = 14,
	NOTE_INDENT = 2,
};

static char *cleaned(const struct cli_call *call, const char *text)
{
	return cli_clean(call->ctx, text, strlen(text), CLI_ONE_LINE);
}

static const char *value_text(const struct cli_call *call, const json_t *value)
{
	if (json_is_string(value))
		return cleaned(call, json_string_value(value));
	if (json_is_integer(value))
		return rt_printf(call->ctx, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	if (json_is_real(value))
		return rt_printf(call->ctx, "%.1f", json_real_value(value));
	if (json_is_boolean(value))
		return json_is_true(value) ? "yes" : "no";
	if (rt_json_string(value, "message") != NULL)
		return cleaned(call, rt_json_string(value, "message"));
	return "-";
}

static const char *joined(
	const struct cli_call *call, const json_t *array, const char *name, const char *between)
{
	struct rt_buffer text;

	if (json_array_size(array) == 0)
		return "-";
	rt_buffer_init(&text, call->ctx, CLI_ANSWER_BYTES_MAX);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *element = json_array_get(array, i);

		rt_buffer_text(&text, i > 0 ? between : "");
		rt_buffer_text(&text,
			name != NULL ? cli_text(call, element, name) : value_text(call, element));
	}
	return text.bytes;
}

const char *cli_text(const struct cli_call *call, const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_array(value) ? joined(call, value, NULL, ", ") : value_text(call, value);
}

const char *cli_each(const struct cli_call *call, const json_t *array, const char *name)
{
	return joined(call, array, name, "; ");
}

const char *cli_sentences(const struct cli_call *call, const json_t *array, const char *name)
{
	return joined(call, array, name, " ");
}

const char *cli_time(const struct cli_call *call, const json_t *object, const char *name)
{
	const char *text = rt_json_string(object, name);
	int64_t wall_ms;

	if (text == NULL || !rt_time_parse(text, &wall_ms))
		return cli_text(call, object, name);
	text = rt_time_format(call->ctx, wall_ms);
	return rt_printf(call->ctx, "%.10s %.5s", text, text + 11);
}

static char *formatted(const struct cli_call *call, const char *format, va_list arguments)
{
	va_list again;
	int length;
	char *text;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = rt_alloc(call->ctx, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	return cli_clean(call->ctx, text, (size_t)length, CLI_MANY_LINES);
}

void cli_print(const struct cli_call *call, const char *format, ...)
{
	va_list arguments;

	if (call->json)
		return;
	va_start(arguments, format);
	fputs(formatted(call, format, arguments), stdout);
	va_end(arguments);
}

void cli_complain(const struct cli_call *call, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "eds: %s\n", formatted(call, format, arguments));
	va_end(arguments);
}

void cli_complain_named(const struct cli_call *call, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "eds %s: %s\n", call->command->name, formatted(call, format, arguments));
	va_end(arguments);
}

void cli_print_table(const struct cli_call *call, const struct cli_table *table)
{
	struct rt_buffer out;

	if (call->json)
		return;
	rt_buffer_init(&out, table->ctx, CLI_ANSWER_BYTES_MAX * 4);
	cli_table_write(table, &out);
	fwrite(out.bytes, 1, out.length, stdout);
}

static size_t terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return WIDTH_USUAL;
	if (size.ws_col < WIDTH_LEAST)
		return WIDTH_LEAST;
	return size.ws_col > WIDTH_MOST ? WIDTH_MOST : size.ws_col;
}

void cli_print_wrapped(const struct cli_call *call, const char *text, size_t indent)
{
	struct rt_buffer out;

	if (call->json)
		return;
	rt_buffer_init(&out, call->ctx, CLI_ANSWER_BYTES_MAX * 4);
	cli_wrap(&out, cleaned(call, text), indent, terminal_width());
	fwrite(out.bytes, 1, out.length, stdout);
}

void cli_print_record(const struct cli_call *call, const json_t *record, size_t indent)
{
	if (!json_is_object(record))
		return;
	cli_print(call, "%*s%s %s", (int)indent, "", cli_text(call, record, "name"),
		cli_text(call, record, "type"));
	if (rt_json_string(record, "value") != NULL)
		cli_print(call, " %s", cli_text(call, record, "value"));
	cli_print(call, "\n");
	if (rt_json_string(record, "old") != NULL)
		cli_print(call, "%*sin place of: %s\n", (int)indent, "",
			cli_text(call, record, "old"));
	if (rt_json_string(record, "note") != NULL)
		cli_print_wrapped(call, cli_text(call, record, "note"), indent + NOTE_INDENT);
}

void cli_print_records(const struct cli_call *call, const json_t *records, const char *title)
{
	if (json_array_size(records) > 0)
		cli_print(call, "\n%s\n", title);
	for (size_t i = 0; i < json_array_size(records); i++)
		cli_print_record(call, json_array_get(records, i), 2);
}

void cli_print_members(
	const struct cli_call *call, const json_t *object, const char *const (*members)[2])
{
	for (; (*members)[0] != NULL; members++)
		cli_print(call, "%-*s %s\n", LABEL_COLUMNS, (*members)[0],
			cli_text(call, object, (*members)[1]));
}

void cli_print_json(const struct cli_call *call, const char *json, size_t length)
{
	fputs(cli_clean_json(call->ctx, json, length), stdout);
	if (length > 0 && json[length - 1] != '\n')
		putchar('\n');
}

int cli_checked(bool valid, const json_t *errors)
{
	static const char temporary[] = "-temporary";
	const size_t ending = sizeof temporary - 1;

	if (valid)
		return CLI_DONE;
	for (size_t i = 0; i < json_array_size(errors); i++) {
		const char *code = rt_json_string(json_array_get(errors, i), "code");
		size_t length = code == NULL ? 0 : strlen(code);

		if (length < ending || strcmp(code + length - ending, temporary) != 0)
			return CLI_NOT_WELL;
	}
	return json_array_size(errors) > 0 ? CLI_UNDECIDED : CLI_NOT_WELL;
}
