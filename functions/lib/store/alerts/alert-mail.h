/* Alerts by mail. An address is told nothing until somebody who reads its mail has followed a link
 * (a token of two days, good once, of which only the digest is kept). What is told waits for
 * EDS_ALERT_MAIL_WAIT_MS, so that changes that come together make one mail. Any number of processes
 * send what is due: each alert is claimed with a lease, and its mail has all that waits for it.
 *
 * An alert is switched off, with the reason, when the mail server refuses its address for good, or
 * somebody follows a mail's link to switch it off; the address has to be confirmed anew after the
 * latter.
 */
#ifndef EDS_STORE_ALERT_MAIL_H
#define EDS_STORE_ALERT_MAIL_H

#include "functions/lib/store/alerts/alert.h"

enum {
	EDS_ALERT_MAIL_WAIT_MS = 10 * 60 * 1000,
	EDS_ALERT_MAIL_LEASE_MS = 90 * 1000, /* longer than the sending of one may take */
	EDS_ALERT_MAIL_EVENTS_MAX = 100,     /* in one mail */
	EDS_ALERT_LINK_MS = 2 * 24 * 3600 * 1000,
	EDS_ALERT_ASKS_ADDRESS = 3, /* links sent to an address in a day, for whatever account */
	EDS_ALERT_ASKS_ACCOUNT = 10,
	EDS_ALERT_ASKS_DOMAIN = 100, /* to addresses of one domain, of whatever accounts */
};
#define EDS_ALERT_CONFIRMATION "confirmation" /* the type of a delivery that asks */

struct eds_alert_mail_event {
	const char *id;
	const char *type;
	const char *body;
	int64_t created_at_ms;
	int64_t until_ms; /* then it is given up */
};

struct eds_alert_mail {
	const char *alert_id;
	int64_t lease_ms;
	int64_t tries; /* that failed before */

	/* of eds_store_alert_mail_load */
	const char *address;
	const char *domain; /* NULL: of all domains */
	const char *secret;
	const char *token; /* of the link that confirms; NULL: the events are told */
	struct eds_alert_mail_event *events;
	size_t count; /* 0: there is nothing to send */

	enum eds_outbox_outcome outcome; /* OPEN, DELIVERED, LATER or FAILED */
	bool is_refused;                 /* FAILED: the alert is switched off for this reason */
	int64_t next_at_ms;              /* LATER */
	int64_t status;                  /* of SMTP, 0 without */
	const char *reason_code;
	const char *reason;
};

/* One whose mail is due; *found is false where there is none. */
RT_MUST_USE rt_status eds_store_alert_mail_claim(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_alert_mail *mail, bool *found);

/* What its mail has to say; of one that is not confirmed a new token, which makes the one before
 * worthless. */
RT_MUST_USE rt_status eds_store_alert_mail_load(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_alert_mail *mail);

/* Writes what came of it, if the lease is still its own. */
RT_MUST_USE rt_status eds_store_alert_mail_write(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_alert_mail *mail);

/* Forgets who was asked more than a day ago. */
RT_MUST_USE rt_status eds_store_alert_mail_forget(struct rt_ctx *ctx, struct eds_store *store);

#endif
