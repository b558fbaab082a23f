/* The sending of mail to the relay that the operator has named (EDS_ALERT_RELAY), one after another
 * over one connection:
 *
 *     relay = eds_relay_new(ctx);
 *     eds_relay_send(relay, &mail, &answer);
 *
 * smtp:// goes on by STARTTLS or not at all, except to this machine (RFC 3207); smtps:// begins
 * with TLS (RFC 8314). The relay's certificate is verified, and it is given no more than
 * EDS_RELAY_MS.
 */
#ifndef EDS_FETCH_RELAY_H
#define EDS_FETCH_RELAY_H

#include "runtime/ctx.h"

enum {
	EDS_RELAY_CONNECT_MS = 10 * 1000,
	EDS_RELAY_MS = 25 * 1000, /* for one mail, whatever happens */
	EDS_RELAY_REPLY_MAX = 200,
};

/* text: header and body with CRLF at each line's end; borrowed for the call. from and to are bare
 * addresses without any character that SMTP would not take there. */
struct eds_relay_mail {
	const char *from;
	const char *to;
	const char *hello; /* our name, for EHLO */
	const char *text;
	size_t length;
};

enum eds_relay_outcome {
	EDS_RELAY_TAKEN,
	EDS_RELAY_REFUSED, /* the address, for good: 5xx to RCPT that is about it */
	EDS_RELAY_FAILED,  /* this mail, for good: 5xx to its text */
	EDS_RELAY_LATER,   /* it may be taken later: 4xx, or 5xx to RCPT that is about us */
	EDS_RELAY_AWAY,    /* no mail can be sent there now */
};

struct eds_relay_answer {
	enum eds_relay_outcome outcome;
	int status;         /* the last reply's; 0 without */
	const char *reply;  /* in printable ASCII, "" without; valid until the next call */
	const char *detail; /* of EDS_RELAY_AWAY: what was wrong, for the log */
};

struct eds_relay;

/* Ends with ctx. RT_INTERNAL "fetch-unavailable" when memory is out. */
RT_MUST_USE rt_status eds_relay_new(struct rt_ctx *ctx, struct eds_relay **relay);

void eds_relay_send(struct eds_relay *relay, const struct eds_relay_mail *mail,
	struct eds_relay_answer *answer);

#endif
