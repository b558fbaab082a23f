/* Receives the message that follows DATA (RFC 5321 sections 4.1.1.4 and 4.5.2).
 *
 * Only CR LF . CR LF ends the message. A bare CR, a bare LF or a NUL anywhere makes the message
 * unacceptable, but reading continues to the real end of the message: stopping earlier would let a
 * sender hide a second message in the first (SMTP smuggling, CVE-2023-51764). A refused message is
 * not kept in memory. A large message is handed over in pieces, so that only one piece of it is in
 * memory.
 */
#ifndef RUNNER_SMTP_DATA_H
#define RUNNER_SMTP_DATA_H

#include <stdint.h>

#include "local/smtp/smtp-budget.h"

enum {
	SMTP_DATA_LINE_MAX = 8192, /* maximum length of a line, octets without CR LF */
	/* A message with more Received fields counts as a mail loop. RFC 5321 section 6.3 asks for
	 * a limit that is normally at least 100. */
	SMTP_RECEIVED_MAX = 100,
	SMTP_DATA_FIRST_BYTES = 16 * 1024,
	SMTP_DATA_HEAD_BYTES = 9, /* strlen("Received:") */
};

enum smtp_data_fault {
	SMTP_DATA_GOOD,
	SMTP_DATA_BAD_OCTETS, /* the message has a bare CR, a bare LF or a NUL */
	SMTP_DATA_LONG_LINE,
	SMTP_DATA_TOO_BIG,
	SMTP_DATA_LOOP,       /* more than SMTP_RECEIVED_MAX Received fields */
	SMTP_DATA_OVER_QUOTA, /* no room to store the message: try again later */
	/* the budget for incoming messages is used up, there is no memory, or a piece could not be
	 * stored: try again later */
	SMTP_DATA_NO_ROOM,
};

struct smtp_data {
	/* the current piece, made with malloc: dots unstuffed, every line ended by CR LF */
	char *bytes;
	size_t length;
	size_t capacity;
	size_t given;  /* octets of the message in earlier pieces, which were handed over */
	size_t held;   /* octets of this message counted in the share */
	size_t max;    /* maximum size of the message: the budget's limit or less */
	uint64_t room; /* octets for which there is room; INT64_MAX: no limit */
	struct smtp_budget *budget;
	struct smtp_share *share;
	enum smtp_data_fault fault; /* the first fault that occurred */
	bool ended;

	char head[SMTP_DATA_HEAD_BYTES]; /* the first octets of the current line */
	size_t line_length;              /* octets of the current line so far */
	bool after_crlf;                 /* the previous line ended with CR LF */
	bool after_cr;                   /* the last octet was CR */
	bool in_header;
	int received_fields;
};

/* Begins a message and takes over the client's share of the budget. With NULL for the share no
 * octets of the message can be kept. */
void smtp_data_init(struct smtp_data *data, struct smtp_budget *budget, struct smtp_share *share);
void smtp_data_done(struct smtp_data *data);

/* Processes octets until the message ends or a piece is full; returns the number of processed
 * octets. */
size_t smtp_data_take(struct smtp_data *data, const char *bytes, size_t length);

/* True when a piece must be handed over before more octets can be processed. */
bool smtp_data_is_full(const struct smtp_data *data);

/* Hands over a piece of whole lines, which the caller frees. Its octets remain counted in the
 * share. */
char *smtp_data_give(struct smtp_data *data, size_t *length);

/* Hands over the last piece, which the caller frees. Sets *share and *held, the number of octets
 * counted in the share; the caller passes both to smtp_share_settle(). */
char *smtp_data_release(
	struct smtp_data *data, size_t *length, struct smtp_share **share, size_t *held);

/* Records the fault if it is the first, and frees what is in memory of the message. The fault may
 * be that a piece could not be stored after it was handed over. */
void smtp_data_refuse(struct smtp_data *data, enum smtp_data_fault fault);

#endif
