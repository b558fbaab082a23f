#include "runtime/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/utf8.h"

enum {
	LOG_LINE_MAX = 4096,
	MESSAGE_MAX = 2048,
	CHARACTER_MAX = 8, /* octets that one character can take in the line: \u00XX */
};

static enum rt_log_level most = RT_LOG_INFO;

struct line {
	char bytes[LOG_LINE_MAX];
	size_t length;
};

void rt_log_set_level(enum rt_log_level level)
{
	most = level;
}

static void put(struct line *line, const char *bytes, size_t length)
{
	/* Room is left for the closing of the object. */
	if (length > sizeof line->bytes - line->length - 8)
		return;
	memcpy(line->bytes + line->length, bytes, length);
	line->length += length;
}

/* One character of hostile text, safe within a JSON string and on a terminal. */
static size_t put_character(struct line *line, const char *text, size_t available)
{
	unsigned char c = (unsigned char)text[0];
	size_t octets = rt_utf8_length(text, available);
	char escape[CHARACTER_MAX];

	if (octets == 0) {
		put(line, "\xef\xbf\xbd", 3);
		return 1;
	}
	if (c == '"' || c == '\\')
		put(line, "\\", 1);
	if (c < 0x20 || c == 0x7f)
		put(line, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
	else if (c == 0xc2 && (unsigned char)text[1] < 0xa0) /* C1 */
		put(line, escape,
			(size_t)snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)text[1]));
	else
		put(line, text, octets);
	return octets;
}

static void put_string(struct line *line, const char *name, const char *text)
{
	size_t length = strlen(text);

	put(line, line->length == 0 ? "{\"" : ",\"", 2);
	put(line, name, strlen(name));
	put(line, "\":\"", 3);
	for (size_t i = 0; i < length && line->length < sizeof line->bytes - 64;)
		i += put_character(line, text + i, length - i);
	put(line, "\"", 1);
}

static void put_time(struct line *line)
{
	struct timespec now;
	struct tm utc;
	char text[40];
	size_t length;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + length, sizeof text - length, ".%03dZ", (int)(now.tv_nsec / 1000000));
	put_string(line, "time", text);
}

void rt_log_line(enum rt_log_level level, const char *function, const char *request_id,
	const char *format, ...)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};
	const char *trace_id = getenv("_X_AMZN_TRACE_ID");
	struct line line = {.length = 0};
	char message[MESSAGE_MAX];
	va_list arguments;

	if (level > most)
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);

	put_time(&line);
	put_string(&line, "level", names[level]);
	if (function != NULL)
		put_string(&line, "function", function);
	if (request_id != NULL)
		put_string(&line, "requestId", request_id);
	if (trace_id != NULL)
		put_string(&line, "traceId", trace_id);
	put_string(&line, "message", message);
	memcpy(line.bytes + line.length, "}\n", 2);
	line.length += 2;
	if (write(STDERR_FILENO, line.bytes, line.length) < 0)
		return; /* nowhere left to say so */
}
