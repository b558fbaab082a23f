#include "runtime/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/journal/journal.h"
#include "runtime/text/clock-text.h"
#include "runtime/text/decimal.h"
#include "runtime/text/utf8.h"

enum {
	LOG_LINE_MAX = 4096,
	MESSAGE_MAX = 2048,
	/* a text in the line ends before this octet; the octets after it are for completing the
	 * line */
	TEXT_ENDS = LOG_LINE_MAX - 64,
	/* octets of an escape such as \u202e, with its NUL, and one spare */
	CHARACTER_MAX = 8,
	HELD_BYTES = LOG_LINE_MAX, /* octets that are written to a pipe in one piece (PIPE_BUF) */
};

static enum rt_log_level most = RT_LOG_INFO;
static const char *trace;

struct line {
	char bytes[LOG_LINE_MAX];
	size_t start; /* start of the JSON object */
	size_t length;
	bool journal; /* the line is an entry of the journal, not an object */
};

/* Lines that wait for rt_log_flush(). soon is NULL if each line is written at once. */
static struct {
	void (*soon)(void *arg);
	void *arg;
	size_t length;
	char bytes[HELD_BYTES];
} held;

void rt_log_set_level(enum rt_log_level level)
{
	most = level;
}

void rt_log_set_trace(const char *id)
{
	trace = id;
}

static void put(struct line *line, const char *bytes, size_t length)
{
	/* Text that would leave no room to close the object is dropped. */
	if (length > sizeof line->bytes - line->length - 8)
		return;
	memcpy(line->bytes + line->length, bytes, length);
	line->length += length;
}

/* Writes one special character of hostile text so that it is safe in a JSON string and on a
 * terminal, and cannot change the order in which the text after it is shown. */
static size_t put_character(struct line *line, const char *text, size_t available)
{
	unsigned char c = (unsigned char)text[0];
	size_t octets = rt_utf8_length(text, available);
	uint32_t code = octets > 0 ? rt_utf8_code(text, octets) : 0;
	char escape[CHARACTER_MAX];

	if (octets == 0) {
		put(line, RT_UTF8_REPLACEMENT, strlen(RT_UTF8_REPLACEMENT));
		return 1;
	}
	if (!line->journal && (c == '"' || c == '\\'))
		put(line, "\\", 1);
	if (rt_utf8_is_harmful(code))
		put(line, escape,
			(size_t)snprintf(escape, sizeof escape, "\\u%04x", code & 0xffff));
	else
		put(line, text, octets);
	return octets;
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* Adds the text. For speed, plain characters are copied together up to the next special one, since
 * every request writes a line. */
static void put_text(struct line *line, const char *text)
{
	size_t left = strlen(text);

	while (left > 0 && line->length < TEXT_ENDS) {
		size_t room = TEXT_ENDS - line->length;
		size_t run = 0;

		while (run < left && run < room && is_plain(text[run]))
			run++;
		put(line, text, run);
		if (run == 0)
			run = put_character(line, text, left);
		text += run;
		left -= run;
	}
}

/* True if standard error is the journal's stream, which systemd names in a variable
 * ("DEVICE:INODE"; systemd.exec(5)). A child may have another standard error than the parent for
 * which the variable was set. */
static bool goes_to_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device;
	unsigned long long inode;
	struct stat status;

	return stream != NULL && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
		fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device &&
		status.st_ino == inode;
}

/* The priorities of syslog(3). */
static const char priorities[] = {
	[RT_LOG_ERROR] = '3', [RT_LOG_WARNING] = '4', [RT_LOG_INFO] = '6', [RT_LOG_DEBUG] = '7'};

static void begin_line(struct line *line, enum rt_log_level level, bool to_journal)
{
	const char prefix[] = {'<', priorities[level], '>'};

	line->length = 0;
	line->journal = false;
	if (to_journal)
		put(line, prefix, sizeof prefix);
	line->start = line->length;
}

static void begin_entry(struct line *line, enum rt_log_level level)
{
	static const char identifier[] = "\nSYSLOG_IDENTIFIER=eds\n";

	line->length = 0;
	line->journal = true;
	put(line, "PRIORITY=", strlen("PRIORITY="));
	put(line, &priorities[level], 1);
	put(line, identifier, sizeof identifier - 1);
}

/* Adds a field. put_text() leaves no line end in the text, which could begin another field. A field
 * that does not fit is left out whole: its line end alone would be an empty line, which ends the
 * entry. */
static void put_field(struct line *line, const char *name, const char *text)
{
	char field[RT_JOURNAL_NAME_MAX + 1] = "MESSAGE";

	if (strcmp(name, "message") != 0)
		rt_journal_name(name, field);
	if (line->length + strlen(field) + 1 >= TEXT_ENDS)
		return;
	put(line, field, strlen(field));
	put(line, "=", 1);
	put_text(line, text);
	put(line, "\n", 1);
}

static void put_name(struct line *line, const char *name)
{
	put(line, line->length == line->start ? "{\"" : ",\"", 2);
	put(line, name, strlen(name));
	put(line, "\":", 2);
}

static void put_string(struct line *line, const char *name, const char *text)
{
	if (line->journal) {
		put_field(line, name, text);
		return;
	}
	put_name(line, name);
	put(line, "\"", 1);
	put_text(line, text);
	put(line, "\"", 1);
}

static void put_extra(struct line *line, const struct rt_log_field *field)
{
	if (line->journal || !field->bare) {
		put_string(line, field->name, field->text);
		return;
	}
	put_name(line, field->name);
	put(line, field->text, strlen(field->text));
}

static void put_time(struct line *line)
{
	static struct rt_clock_text clock = {.format = "%Y-%m-%dT%H:%M:%S.000Z"};
	struct timespec now;
	char *text;
	char *end;

	clock_gettime(CLOCK_REALTIME, &now);
	text = rt_clock_text(&clock, now.tv_sec);
	end = text + strlen(text);
	rt_decimal(end - 1, (uint64_t)now.tv_nsec / 1000000, 3);
	put_string(line, "time", text);
}

static void write_out(const char *bytes, size_t length)
{
	if (write(STDERR_FILENO, bytes, length) < 0)
		return; /* there is no other place to report the failure */
}

void rt_log_flush(void)
{
	size_t length = held.length;

	held.length = 0;
	if (length > 0)
		write_out(held.bytes, length);
}

void rt_log_hold(void (*soon)(void *arg), void *arg)
{
	rt_log_flush();
	held.soon = soon;
	held.arg = arg;
}

/* Writes or holds a line. An error is written at once, because the process may end next. */
static void say(const struct line *line, enum rt_log_level level)
{
	if (held.soon == NULL) {
		write_out(line->bytes, line->length);
		return;
	}
	if (line->length > sizeof held.bytes - held.length)
		rt_log_flush();
	if (held.length == 0)
		held.soon(held.arg);
	memcpy(held.bytes + held.length, line->bytes, line->length);
	held.length += line->length;
	if (level == RT_LOG_ERROR)
		rt_log_flush();
}

struct entry {
	enum rt_log_level level;
	const char *function;
	const char *request_id;
	const struct rt_log_field *fields;
	size_t count;
	const char *message;
};

static void put_members(struct line *line, const struct entry *entry)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};
	const char *xray_id = getenv("_X_AMZN_TRACE_ID");

	put_string(line, "level", names[entry->level]);
	if (entry->function != NULL)
		put_string(line, "function", entry->function);
	if (entry->request_id != NULL)
		put_string(line, "requestId", entry->request_id);
	if (trace != NULL)
		put_string(line, "traceId", trace);
	if (xray_id != NULL)
		put_string(line, "xrayTraceId", xray_id);
	for (size_t i = 0; i < entry->count; i++)
		put_extra(line, &entry->fields[i]);
	put_string(line, "message", entry->message);
}

/* Sends the line to the journal, which records the time of each entry itself. */
static bool send_entry(struct line *line, const struct entry *entry)
{
	begin_entry(line, entry->level);
	put_members(line, entry);
	return rt_journal_send(line->bytes, line->length);
}

void rt_log_fields(enum rt_log_level level, const char *function, const char *request_id,
	const struct rt_log_field *fields, size_t count, const char *message)
{
	const struct entry entry = {level, function, request_id, fields, count, message};
	bool to_journal = goes_to_journal();
	struct line line;

	if (level > most || (to_journal && send_entry(&line, &entry)))
		return;
	begin_line(&line, level, to_journal);
	put_time(&line);
	put_members(&line, &entry);
	memcpy(line.bytes + line.length, "}\n", 2);
	line.length += 2;
	say(&line, level);
}

void rt_log_line(enum rt_log_level level, const char *function, const char *request_id,
	const char *format, ...)
{
	char message[MESSAGE_MAX];
	va_list arguments;

	if (level > most)
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	rt_log_fields(level, function, request_id, NULL, 0, message);
}
