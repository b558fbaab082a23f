/* The message behind DATA, as it comes in (RFC 5321 sections 4.1.1.4 and 4.5.2).
 *
 * Only CR LF . CR LF ends it. A bare CR, a bare LF or a NUL anywhere makes the message
 * unacceptable, but it is read on to its real end: stopping elsewhere would let a sender hide a
 * second message in the first (CVE-2023-51764 and its kin). What has been refused is not kept in
 * memory, and of a large message only a piece is: the others are handed over as they come.
 */
#ifndef RUNNER_SMTP_DATA_H
#define RUNNER_SMTP_DATA_H

#include <stdint.h>

#include "local/smtp/smtp-budget.h"

enum {
	SMTP_DATA_LINE_MAX = 8192, /* octets without CR LF */
	SMTP_RECEIVED_MAX = 50,
	SMTP_DATA_FIRST_BYTES = 16 * 1024,
	SMTP_DATA_HEAD_BYTES = 9, /* strlen("Received:") */
};

enum smtp_data_fault {
	SMTP_DATA_GOOD,
	SMTP_DATA_BAD_OCTETS, /* bare CR, bare LF, NUL */
	SMTP_DATA_LONG_LINE,
	SMTP_DATA_TOO_BIG,
	SMTP_DATA_LOOP,       /* more than SMTP_RECEIVED_MAX Received fields */
	SMTP_DATA_OVER_QUOTA, /* there is no room to keep it: try again later */
	SMTP_DATA_NO_ROOM,    /* what may be under way is used up: try again later */
};

struct smtp_data {
	char *bytes; /* dots unstuffed, every line ended by CR LF; malloc */
	size_t length;
	size_t capacity;
	size_t given;  /* octets of the message before these, which were handed over */
	size_t held;   /* octets that were counted in the share */
	size_t max;    /* octets of the message: the budget's, or less */
	uint64_t room; /* that there is to keep it, INT64_MAX: any */
	struct smtp_budget *budget;
	struct smtp_share *share;
	enum smtp_data_fault fault; /* the first that occurred */
	bool ended;

	char head[SMTP_DATA_HEAD_BYTES]; /* the first octets of the line */
	size_t line_length;              /* octets of the line so far */
	bool after_crlf;                 /* the line before ended with CR LF */
	bool after_cr;                   /* the last octet was CR */
	bool in_header;
	int received_fields;
};

/* Takes the share over, which may be NULL: then nothing can be kept. */
void smtp_data_init(struct smtp_data *data, struct smtp_budget *budget, struct smtp_share *share);
void smtp_data_done(struct smtp_data *data);

/* Takes octets up to the end of the message, or until it is full, at most; how many were taken. */
size_t smtp_data_take(struct smtp_data *data, const char *bytes, size_t length);

/* A piece is to be handed over before more is taken. */
bool smtp_data_is_full(const struct smtp_data *data);

/* Hands a piece over, whole lines: the caller frees it. It stays counted. */
char *smtp_data_give(struct smtp_data *data, size_t *length);

/* Hands the last piece over, which the caller frees, and the share with the octets counted in it,
 * which the caller settles. */
char *smtp_data_release(
	struct smtp_data *data, size_t *length, struct smtp_share **share, size_t *held);

/* What was handed over could not be kept. */
void smtp_data_refuse(struct smtp_data *data, enum smtp_data_fault fault);

#endif
