/* Sends mail through the relay that the operator has named (EDS_ALERT_RELAY), one message after
 * another over one connection:
 *
 *     RT_TRY(eds_relay_new(ctx, &relay));
 *     eds_relay_send(relay, &mail, &answer);
 *
 * smtp:// requires STARTTLS, except to this machine (RFC 3207); smtps:// begins with TLS (RFC
 * 8314). The relay's certificate is verified, and each message may take EDS_RELAY_MS at most.
 */
#ifndef EDS_FETCH_RELAY_H
#define EDS_FETCH_RELAY_H

#include "runtime/ctx.h"

enum {
	EDS_RELAY_CONNECT_MS = 10 * 1000,
	EDS_RELAY_MS = 25 * 1000, /* maximum time for one message */
	EDS_RELAY_REPLY_MAX = 200,
};

/* A message to send, borrowed for the call. `text` is header and body, with lines ending with CRLF;
 * `from` and `to` are bare addresses that contain only characters allowed in SMTP commands. */
struct eds_relay_mail {
	const char *from;
	const char *to;
	const char *hello; /* our host name, for EHLO */
	const char *text;
	size_t length;
};

enum eds_relay_outcome {
	EDS_RELAY_TAKEN,
	EDS_RELAY_REFUSED, /* the relay refuses the address permanently: a 5xx reply to RCPT is
			    * about the address */
	EDS_RELAY_FAILED,  /* the relay refuses this message permanently: a 5xx reply to DATA or to
			    * its text */
	EDS_RELAY_LATER,   /* try again later: a 4xx reply to RCPT or DATA, or a 5xx reply to RCPT
			    * that is not about the address */
	EDS_RELAY_AWAY,    /* the relay accepts no mail now: it gave no reply or 421, or refused a
			    * command other than RCPT and DATA */
};

struct eds_relay_answer {
	enum eds_relay_outcome outcome;
	int status;         /* code of the last reply; 0 if none */
	const char *reply;  /* text of the last reply in printable ASCII, "" if none; valid until
			     * the next call */
	const char *detail; /* for EDS_RELAY_AWAY: the error to write to the log */
};

struct eds_relay;

/* Makes a relay, which ends with ctx. Fails with RT_INTERNAL "fetch-unavailable" when out of
 * memory. */
RT_MUST_USE rt_status eds_relay_new(struct rt_ctx *ctx, struct eds_relay **relay);

void eds_relay_send(struct eds_relay *relay, const struct eds_relay_mail *mail,
	struct eds_relay_answer *answer);

#endif
