/* Writes the log: one JSON object in each line of standard error.
 *
 *     {"time":"2026-01-31T23:59:59.123Z","level":"info","function":"tester-analyze",
 *      "requestId":"…","message":"…"}
 *
 * A line also has "traceId" if a trace is set (rt_log_set_trace()), and "xrayTraceId" if the
 * environment has _X_AMZN_TRACE_ID.
 *
 * If standard error is systemd's journal, a line becomes an entry of the journal instead of an
 * object: MESSAGE, PRIORITY, and EDS_FUNCTION, EDS_REQUEST_ID and so on for the other members
 * (journal/journal.h). While the journal's socket does not accept entries, the object goes to
 * standard error, with "<3>" to "<7>" before it, which the journal stores as the priority
 * (sd-daemon(3)).
 *
 * Control characters (C0, DEL, C1) are escaped and bytes that are not UTF-8 replaced, so a log line
 * stays one line whatever a message contains. Never log a token, a key or message content. Library
 * code returns its failures, which the handler loop logs, and logs little else. */
#ifndef RT_LOG_H
#define RT_LOG_H

#include "runtime/ctx.h"

enum rt_log_level { RT_LOG_ERROR, RT_LOG_WARNING, RT_LOG_INFO, RT_LOG_DEBUG };

/* Sets the level, initially info; lines of less importance are dropped. */
void rt_log_set_level(enum rt_log_level level);

/* Sets the trace id of the following lines; NULL for none. The text is borrowed. */
void rt_log_set_trace(const char *id);

/* Writes a line of at most LOG_LINE_MAX bytes in one piece: to the journal, or to standard error,
 * where it may be held first (rt_log_hold()). function and request_id may be NULL. */
void rt_log_line(enum rt_log_level level, const char *function, const char *request_id,
	const char *format, ...) RT_PRINTF(4, 5);

/* An extra member of the line. */
struct rt_log_field {
	const char *name;
	const char *text;
	bool bare; /* the text is a number */
};

/* Writes a line with further members, which come before the message. */
void rt_log_fields(enum rt_log_level level, const char *function, const char *request_id,
	const struct rt_log_field *fields, size_t count, const char *message);

/* For a program that serves many clients in one thread: lines, except errors, are held and then
 * written together. One write has whole lines, at most as many as a pipe accepts in one piece, so
 * that lines of other processes cannot come in between. soon() is called when the first line is
 * held, and must ensure that rt_log_flush() is called before the program waits. If soon is NULL,
 * lines are no longer held: each is written at once. Held lines are lost if the process is
 * killed. */
void rt_log_hold(void (*soon)(void *arg), void *arg);
void rt_log_flush(void);

#define rt_log(ctx, level, ...) rt_log_line(level, (ctx)->function, (ctx)->request_id, __VA_ARGS__)

#endif
