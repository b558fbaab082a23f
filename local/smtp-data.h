/* The message behind DATA, as it comes in (RFC 5321 sections 4.1.1.4 and 4.5.2).
 *
 * Only CR LF . CR LF ends it. A bare CR, a bare LF or a NUL anywhere makes the message
 * unacceptable, but it is read on to its real end: stopping elsewhere would let a sender hide a
 * second message in the first (CVE-2023-51764 and its kin). What has been refused is not kept in
 * memory.
 */
#ifndef RUNNER_SMTP_DATA_H
#define RUNNER_SMTP_DATA_H

#include <stdbool.h>
#include <stddef.h>

enum {
	SMTP_DATA_LINE_MAX = 8192, /* octets without CR LF */
	SMTP_MESSAGE_BYTES_MAX = 15 * 1024 * 1024,
	SMTP_RECEIVED_MAX = 50,
	SMTP_DATA_FIRST_BYTES = 16 * 1024,
	SMTP_DATA_HEAD_BYTES = 9, /* strlen("Received:") */
};

enum smtp_data_fault {
	SMTP_DATA_GOOD,
	SMTP_DATA_BAD_OCTETS, /* bare CR, bare LF, NUL */
	SMTP_DATA_LONG_LINE,
	SMTP_DATA_TOO_BIG,
	SMTP_DATA_LOOP,    /* more than SMTP_RECEIVED_MAX Received fields */
	SMTP_DATA_NO_ROOM, /* the memory for messages under way is used up: try again later */
};

/* Memory of all messages under way at once. */
struct smtp_budget {
	size_t used;
	size_t max;
	size_t message_max; /* of one message: SMTP_MESSAGE_BYTES_MAX, less where limits are tested
			     */
};

struct smtp_data {
	char *bytes; /* dots unstuffed, every line ended by CR LF; malloc */
	size_t length;
	size_t capacity;
	struct smtp_budget *budget;
	enum smtp_data_fault fault; /* the first that occurred */
	bool ended;

	char head[SMTP_DATA_HEAD_BYTES]; /* the first octets of the line */
	size_t line_length;              /* octets of the line so far */
	bool after_crlf;                 /* the line before ended with CR LF */
	bool after_cr;                   /* the last octet was CR */
	bool in_header;
	int received_fields;
};

void smtp_data_init(struct smtp_data *data, struct smtp_budget *budget);
void smtp_data_done(struct smtp_data *data);

/* Takes octets up to the end of the message at most; how many were taken. */
size_t smtp_data_take(struct smtp_data *data, const char *bytes, size_t length);

/* Hands the message over: the caller frees it, and takes its capacity off the budget then. */
char *smtp_data_release(struct smtp_data *data, size_t *length);

#endif
