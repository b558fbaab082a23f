#include "runtime/process/process-lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/process/begun.h"
#include "runtime/text/decimal.h"

enum {
	READ_BYTES = 64 * 1024,
	TAG_BYTES_MAX = 32,
	COUNTS_BYTES_MAX = 4096,
	/* maximum number of octets of tag, length and counts around an answer */
	FRAME_BYTES_MAX = COUNTS_BYTES_MAX + TAG_BYTES_MAX + 32,
	/* memory for events that is larger than this, octets, is freed when all are answered */
	SEND_KEPT_BYTES = 1024 * 1024,
};

bool rt_process_unsent(const struct rt_process *process)
{
	return process->send_offset < process->send_length;
}

/* Frees the memory that a large event needed, when all events are answered. */
static void shrink_send(struct rt_process *process)
{
	if (process->send_capacity <= SEND_KEPT_BYTES || process->event_count > 0 ||
		rt_process_unsent(process))
		return;
	free(process->send);
	process->send = NULL;
	process->send_length = process->send_capacity = process->send_offset = 0;
}

bool rt_process_flush(struct rt_process *process)
{
	while (rt_process_unsent(process)) {
		ssize_t written = write(process->in, process->send + process->send_offset,
			process->send_length - process->send_offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno == EAGAIN;
		process->send_offset += (size_t)written;
	}
	return true;
}

bool rt_process_takes_more(const struct rt_process *process)
{
	return process->event_count < RT_PROCESS_EVENTS_MAX && rt_begun_is_read(process->begun);
}

/* Removes the octets of answered events from the start of the buffer. This cannot wait until all
 * events are answered, because a client can keep the pipe full. The function moves no more octets
 * than it drops, so that moving never costs more than writing. */
static void drop_answered(struct rt_process *process)
{
	size_t from = process->send_offset;
	size_t kept;

	if (process->event_count > 0 && process->events[0].start < from)
		from = process->events[0].start;
	kept = process->send_length - from;
	if (kept > from)
		return;
	memcpy(process->send, process->send + from, kept);
	process->send_length = kept;
	process->send_offset -= from;
	for (size_t i = 0; i < process->event_count; i++)
		process->events[i].start -= from;
}

/* Makes room for more octets after those that are still to be written or answered. */
static bool make_send_room(struct rt_process *process, size_t more)
{
	char *grown;

	if (process->send_offset > 0)
		drop_answered(process);
	if (process->send_capacity - process->send_length >= more)
		return true;
	grown = realloc(process->send, process->send_length + more);
	if (grown == NULL)
		return false;
	process->send = grown;
	process->send_capacity = process->send_length + more;
	return true;
}

static size_t write_tag(char tag[TAG_BYTES_MAX], const struct rt_process_event *event)
{
	char digits[TAG_BYTES_MAX];
	char *end = digits + sizeof digits;
	char *at = rt_decimal(end, event->number, 1);
	char *to = tag;

	*to++ = '#';
	to = mempcpy(to, at, (size_t)(end - at));
	if (event->framed)
		*to++ = '=';
	*to++ = '+';
	*to++ = ' ';
	return (size_t)(to - tag);
}

bool rt_process_queue(struct rt_process *process, const char *event, size_t length, bool framed)
{
	struct rt_process_event *own = &process->events[process->event_count];
	char *to;

	if (process->event_count == RT_PROCESS_EVENTS_MAX ||
		!make_send_room(process, TAG_BYTES_MAX + length + 1))
		return false;
	*own = (struct rt_process_event){.number = ++process->number,
		.framed = framed,
		.start = process->send_length,
		.length = length};
	process->event_count++;
	to = process->send + process->send_length;
	to += write_tag(to, own);
	to = mempcpy(to, event, length);
	*to++ = '\n';
	process->send_length = (size_t)(to - process->send);
	return true;
}

bool rt_process_send(struct rt_process *process, const char *event, size_t length, bool framed)
{
	if (!rt_process_queue(process, event, length, framed))
		return false;
	if (rt_process_flush(process))
		return true;
	process->event_count = 0;
	return false;
}

size_t rt_process_take_back(struct rt_process *process, bool ends)
{
	uint64_t first = process->events[0].number;
	size_t count = process->event_count;
	bool reads = process->reads_page || rt_begun_is_read(process->begun);
	size_t least = ends && reads ? 0 : 1;
	uint64_t begun;

	if (count <= least || process->begun == NULL)
		return count;
	begun = rt_begun_take_back(process->begun, ends ? 0 : first, process->number);
	if (begun < first && !ends)
		return count;
	while (count > least && process->events[count - 1].number > begun)
		count--;
	process->event_count = count;
	return count;
}

const char *rt_process_first(const struct rt_process *process, size_t *length, bool *framed)
{
	const struct rt_process_event *first = &process->events[0];
	char tag[TAG_BYTES_MAX];

	*length = first->length;
	*framed = first->framed;
	return process->send + first->start + write_tag(tag, first);
}

/* Makes room for the next read and a NUL after it; drops the octets of answers that were returned.
 */
static bool make_room(struct rt_process *process)
{
	size_t wanted;
	char *grown;

	if (process->line_taken > 0) {
		process->line_length -= process->line_taken;
		memmove(process->line, process->line + process->line_taken, process->line_length);
		process->line_taken = 0;
	}
	wanted = process->line_length + READ_BYTES + 1;
	if (process->line_capacity >= wanted)
		return true;
	grown = realloc(process->line, wanted + process->line_capacity);
	if (grown == NULL)
		return false;
	process->line = grown;
	process->line_capacity += wanted;
	return true;
}

static bool is_count_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '=' || c == ',';
}

/* Separates the counts from the end of the answer; returns the length of the answer without them.
 * The counts cannot be confused with JSON, which has nothing after its last bracket. */
static size_t cut_counts(struct rt_process *process, char *answer, size_t length)
{
	size_t at = length;

	process->counts = "";
	while (at > 0 && is_count_character(answer[at - 1]))
		at--;
	if (at == length || at < 2 || answer[at - 1] != ' ' || answer[at - 2] != '}')
		return length;
	answer[at - 1] = '\0';
	process->counts = answer + at;
	return at - 1;
}

/* Reads "@43 " and moves *at past it; false when it does not have that form. */
static bool read_length(char **at, const char *end, size_t *length)
{
	char *digit = *at + 1;

	*length = 0;
	while (digit < end && *digit >= '0' && *digit <= '9' && *length <= RT_ANSWER_BYTES_MAX)
		*length = *length * 10 + (size_t)(*digit++ - '0');
	if (digit == *at + 1 || digit == end || *digit != ' ' || *length > RT_ANSWER_BYTES_MAX)
		return false;
	*at = digit + 1;
	return true;
}

bool rt_process_has_more(const struct rt_process *process)
{
	return process->line_length > process->line_taken;
}

/* Ends the answer to the current event. No octets may follow the answer to the last event. */
static enum rt_process_result end_answer(struct rt_process *process, char *newline)
{
	*newline = '\0';
	process->line_taken = (size_t)(newline + 1 - process->line);
	process->line_searched = 0;
	if (process->event_count == 1 && rt_process_has_more(process))
		return RT_PROCESS_BROKEN;
	process->event_count--;
	shrink_send(process);
	memmove(process->events, process->events + 1,
		process->event_count * sizeof *process->events);
	return RT_PROCESS_ANSWER;
}

/* True for an empty text, or a space and counts. */
static bool are_counts(const char *at, const char *end)
{
	if (at < end && *at++ != ' ')
		return false;
	while (at < end && is_count_character(*at))
		at++;
	return at == end;
}

/* Reads an answer with a given length, which may contain line ends; counts may follow it. */
static enum rt_process_result take_framed(
	struct rt_process *process, char *at, const char **answer, size_t *length)
{
	char *end = process->line + process->line_length;
	char *counts;
	char *newline;

	if (!read_length(&at, end, length))
		return RT_PROCESS_BROKEN;
	if ((size_t)(end - at) <= *length)
		return RT_PROCESS_AGAIN;
	counts = at + *length;
	newline = memchr(counts, '\n', (size_t)(end - counts));
	if (newline == NULL)
		return end - counts > COUNTS_BYTES_MAX ? RT_PROCESS_BROKEN : RT_PROCESS_AGAIN;
	if (!are_counts(counts, newline))
		return RT_PROCESS_BROKEN;
	process->counts = newline == counts ? "" : counts + 1;
	*counts = '\0';
	*answer = at;
	return end_answer(process, newline);
}

/* The first line end after the returned answers; NULL when there is none yet. */
static char *find_line_end(struct rt_process *process)
{
	size_t from = process->line_taken + process->line_searched;
	char *newline = memchr(process->line + from, '\n', process->line_length - from);

	if (newline == NULL)
		process->line_searched = process->line_length - process->line_taken;
	return newline;
}

/* Reads the next answer, which must have the tag of the current event. */
static enum rt_process_result take_answer(
	struct rt_process *process, const char **answer, size_t *length)
{
	char *start = process->line + process->line_taken;
	char *newline = find_line_end(process);
	const struct rt_process_event *event = &process->events[0];
	char tag[TAG_BYTES_MAX];
	size_t tag_length;

	if (newline == NULL)
		return RT_PROCESS_AGAIN;
	if (process->event_count == 0)
		return RT_PROCESS_BROKEN;
	tag_length = write_tag(tag, event);
	if ((size_t)(newline - start) < tag_length || memcmp(start, tag, tag_length) != 0)
		return RT_PROCESS_BROKEN;
	start += tag_length;
	if (event->framed && *start == '@')
		return take_framed(process, start, answer, length);
	*answer = start;
	*length = cut_counts(process, start, (size_t)(newline - start));
	return end_answer(process, newline);
}

/* True if the octets that were read are allowed: a handler may write only while it has an event,
 * and no more than an answer. */
static bool is_allowed(const struct rt_process *process)
{
	size_t length = process->line_length - process->line_taken;

	return length == 0 ||
		(process->event_count > 0 && length <= RT_ANSWER_BYTES_MAX + FRAME_BYTES_MAX);
}

enum rt_process_result rt_process_read(
	struct rt_process *process, const char **answer, size_t *length)
{
	for (;;) {
		enum rt_process_result result = RT_PROCESS_AGAIN;
		ssize_t got;

		if (rt_process_has_more(process))
			result = take_answer(process, answer, length);
		if (result == RT_PROCESS_ANSWER || result == RT_PROCESS_BROKEN)
			return result;
		if (!is_allowed(process) || !make_room(process))
			return RT_PROCESS_BROKEN;
		got = read(process->out, process->line + process->line_length, READ_BYTES);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return RT_PROCESS_AGAIN;
		if (got <= 0)
			return RT_PROCESS_ENDED;
		process->line_length += (size_t)got;
	}
}
