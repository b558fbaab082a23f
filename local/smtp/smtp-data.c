#include "local/smtp/smtp-data.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void smtp_data_init(struct smtp_data *data, struct smtp_budget *budget, struct smtp_share *share)
{
	*data = (struct smtp_data){.budget = budget,
		.share = share,
		.max = budget->message_max,
		.room = INT64_MAX,
		.after_crlf = true,
		.in_header = true};
}

static void forget_bytes(struct smtp_data *data)
{
	data->bytes = NULL;
	data->length = data->capacity = 0;
}

void smtp_data_done(struct smtp_data *data)
{
	free(data->bytes);
	forget_bytes(data);
	if (data->share != NULL)
		smtp_share_settle(data->share, data->held);
	data->share = NULL;
	data->held = 0;
}

char *smtp_data_release(
	struct smtp_data *data, size_t *length, struct smtp_share **share, size_t *held)
{
	char *bytes = data->bytes;

	*length = data->length;
	*share = data->share;
	*held = data->held;
	forget_bytes(data);
	data->share = NULL;
	data->held = 0;
	return bytes;
}

void smtp_data_refuse(struct smtp_data *data, enum smtp_data_fault fault)
{
	if (data->fault != SMTP_DATA_GOOD)
		return;
	data->fault = fault;
	smtp_data_done(data);
}

static bool grow(struct smtp_data *data, size_t needed)
{
	size_t capacity = data->capacity > 0 ? data->capacity : SMTP_DATA_FIRST_BYTES;
	char *bytes;

	while (capacity < needed)
		capacity *= 2;
	bytes = realloc(data->bytes, capacity);
	if (bytes == NULL)
		return false;
	data->bytes = bytes;
	data->capacity = capacity;
	return true;
}

static bool add(struct smtp_data *data, const char *bytes, size_t length)
{
	if (data->length + length > data->capacity && !grow(data, data->length + length))
		return false;
	memcpy(data->bytes + data->length, bytes, length);
	data->length += length;
	return true;
}

static bool charge(struct smtp_data *data, size_t octets)
{
	if (data->share == NULL || !smtp_share_charge(data->share, octets))
		return false;
	data->held += octets;
	return true;
}

static void keep(struct smtp_data *data, const char *bytes, size_t length)
{
	if (data->fault != SMTP_DATA_GOOD)
		return;
	/* The line of the final dot (3 octets) is added before it is recognized; it must not count
	 * against the limit. */
	if (data->given + data->length + length > data->max + 3)
		smtp_data_refuse(data, SMTP_DATA_TOO_BIG);
	else if (data->given + data->length + length > data->room + 3)
		smtp_data_refuse(data, SMTP_DATA_OVER_QUOTA);
	else if (!charge(data, length) || !add(data, bytes, length))
		smtp_data_refuse(data, SMTP_DATA_NO_ROOM);
}

bool smtp_data_is_full(const struct smtp_data *data)
{
	return data->fault == SMTP_DATA_GOOD && !data->ended &&
		data->length >= data->budget->piece + data->line_length;
}

/* Hands over the whole lines. The unfinished line stays: it may be the final dot, or begin with a
 * dot that is to be removed. */
char *smtp_data_give(struct smtp_data *data, size_t *length)
{
	char *bytes = data->bytes;
	size_t whole = data->length - data->line_length;

	*length = whole;
	data->given += whole;
	forget_bytes(data);
	if (data->line_length > 0 && !add(data, bytes + whole, data->line_length))
		smtp_data_refuse(data, SMTP_DATA_NO_ROOM);
	return bytes;
}

/* True for a NUL, a bare LF or a bare CR. A CR at the end is judged in the next call, which has the
 * octet that follows it. */
static bool has_bad_octet(const struct smtp_data *data, const char *bytes, size_t length)
{
	const char *end = bytes + length;

	if (data->after_cr && bytes[0] != '\n')
		return true;
	if (bytes[length - 1] == '\n' && (length > 1 ? bytes[length - 2] != '\r' : !data->after_cr))
		return true;
	for (const char *cr = memchr(bytes, '\r', length); cr != NULL;
		cr = memchr(cr + 1, '\r', (size_t)(end - cr - 1)))
		if (cr + 1 < end && cr[1] != '\n')
			return true;
	return memchr(bytes, '\0', length) != NULL;
}

static void keep_head(struct smtp_data *data, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length && data->line_length + i < sizeof data->head; i++)
		data->head[data->line_length + i] = bytes[i];
}

/* Adds a part of one line, in which LF can only be the last octet. */
static void take_piece(struct smtp_data *data, const char *bytes, size_t length)
{
	if (has_bad_octet(data, bytes, length))
		smtp_data_refuse(data, SMTP_DATA_BAD_OCTETS);
	keep(data, bytes, length);
	keep_head(data, bytes, length);
	data->line_length += length;
	if (data->line_length > SMTP_DATA_LINE_MAX + 2)
		smtp_data_refuse(data, SMTP_DATA_LONG_LINE);
}

/* Counts Received fields: a large number of them shows a mail loop (RFC 5321 section 6.3). */
static void count_received(struct smtp_data *data)
{
	if (data->line_length == 2)
		data->in_header = false;
	if (!data->in_header || data->line_length < sizeof data->head ||
		strncasecmp(data->head, "Received:", sizeof data->head) != 0)
		return;
	if (++data->received_fields > SMTP_RECEIVED_MAX)
		smtp_data_refuse(data, SMTP_DATA_LOOP);
}

/* Removes the dot at the start of a line if other octets of the line follow (RFC 5321 section
 * 4.5.2). */
static void remove_dot(struct smtp_data *data)
{
	char *line;

	if (data->fault != SMTP_DATA_GOOD)
		return;
	line = data->bytes + data->length - data->line_length;
	memmove(line, line + 1, data->line_length - 1);
	data->length--;
}

static void end_line(struct smtp_data *data, bool crlf)
{
	bool dot = data->after_crlf && data->head[0] == '.';

	if (dot && crlf && data->line_length == 3) {
		data->ended = true;
		if (data->fault == SMTP_DATA_GOOD)
			data->length -= 3;
	} else {
		if (dot)
			remove_dot(data);
		count_received(data);
	}
	if (data->given + data->length > data->max)
		smtp_data_refuse(data, SMTP_DATA_TOO_BIG);
	data->line_length = 0;
	data->after_crlf = crlf;
}

size_t smtp_data_take(struct smtp_data *data, const char *bytes, size_t length)
{
	size_t taken = 0;

	while (taken < length && !data->ended && !smtp_data_is_full(data)) {
		const char *piece = bytes + taken;
		const char *lf = memchr(piece, '\n', length - taken);
		size_t size = lf != NULL ? (size_t)(lf - piece) + 1 : length - taken;
		bool crlf = lf != NULL && (size > 1 ? lf[-1] == '\r' : data->after_cr);

		take_piece(data, piece, size);
		data->after_cr = piece[size - 1] == '\r';
		taken += size;
		if (lf != NULL)
			end_line(data, crlf);
	}
	return taken;
}
