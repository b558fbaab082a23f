/* Alerts by mail. An address receives no events until its reader has followed a confirmation link
 * (its token works once, within two days; only its digest is stored). Events wait for
 * EDS_ALERT_MAIL_WAIT_MS, so that changes that come together make one mail; a test, and a delivery
 * that is sent once more, do not wait. Any number of processes send due mails: each claims an alert
 * with a lease, and the mail contains the events that wait for this alert,
 * EDS_ALERT_MAIL_EVENTS_MAX at most.
 *
 * An alert is switched off, with the reason, when the mail server refuses its address permanently,
 * or when somebody follows the switch-off link of a mail. After the switch-off link was followed,
 * the address must be confirmed again.
 */
#ifndef EDS_STORE_ALERT_MAIL_H
#define EDS_STORE_ALERT_MAIL_H

#include "functions/lib/store/alerts/alert.h"

enum {
	EDS_ALERT_MAIL_WAIT_MS = 10 * 60 * 1000,
	EDS_ALERT_MAIL_LEASE_MS = 90 * 1000, /* life of a lease: longer than sending one mail may
					      * take */
	EDS_ALERT_MAIL_EVENTS_MAX = 100,     /* maximum number of events in one mail */
	EDS_ALERT_LINK_MS = 2 * 24 * 3600 * 1000,
	/* Limits of confirmation mails. */
	EDS_ALERT_ASKS_ADDRESS = 3, /* limit per address and day, over all accounts */
	EDS_ALERT_ASKS_LONG = 20,   /* limit per address in EDS_ALERT_ASKS_LONG_DAYS */
	EDS_ALERT_ASKS_LONG_DAYS = 30,
	/* Instead of EDS_ALERT_ASKS_ADDRESS and EDS_ALERT_ASKS_LONG, these limits apply to an
	 * account that has caused no confirmation mail to the address in the last
	 * EDS_ALERT_ASKS_LONG_DAYS. */
	EDS_ALERT_ASKS_ADDRESS_FIRST = 10,
	EDS_ALERT_ASKS_LONG_FIRST = 60,
	EDS_ALERT_ASKS_ACCOUNT = 10,   /* limit per account and day */
	EDS_ALERT_ASKS_DOMAIN = 100,   /* limit per day for all addresses of one domain, over all
					* accounts */
	EDS_ALERT_ASKS_DOMAIN_OWN = 2, /* number of confirmation mails per day that an account may
					* always cause to addresses of a domain, even if the limit
					* for the domain is reached */
};
#define EDS_ALERT_CONFIRMATION                                                                     \
	"confirmation" /* the type of a delivery that asks for confirmation */

struct eds_alert_mail_event {
	const char *id;
	const char *type;
	const char *body;
	int64_t created_at_ms;
	int64_t until_ms; /* when the event is given up */
};

struct eds_alert_mail {
	const char *alert_id;
	int64_t lease_ms;
	int64_t tries; /* failed tries before this one */

	/* eds_store_alert_mail_load() sets the members from here to `count` */
	const char *address;
	const char *domain; /* the domain that the alert is about; NULL for all domains */
	const char *secret;
	const char *token; /* token of the confirmation link; NULL when the mail reports events */
	struct eds_alert_mail_event *events;
	size_t count; /* number of events; 0 when there is nothing to send */

	enum eds_outbox_outcome outcome; /* result of the try: EDS_OUTBOX_OPEN, _DELIVERED, _LATER
					  * or _FAILED */
	bool is_refused;    /* for EDS_OUTBOX_FAILED: the address was refused permanently, so the
			     * alert is switched off */
	int64_t next_at_ms; /* for EDS_OUTBOX_LATER: when to try again */
	int64_t status;     /* SMTP reply code; 0 without a reply */
	const char *reason_code;
	const char *reason;
};

/* Claims an alert whose mail is due; *found is false when there is none. */
RT_MUST_USE rt_status eds_store_alert_mail_claim(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_alert_mail *mail, bool *found);

/* Loads the contents of the mail. The count of events is 0 when nothing is to be sent, or when the
 * lease no longer holds. When the mail asks for confirmation, also makes a new token, which
 * replaces the previous one. */
RT_MUST_USE rt_status eds_store_alert_mail_load(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_alert_mail *mail);

/* Writes the outcome, if the caller's lease still holds. */
RT_MUST_USE rt_status eds_store_alert_mail_write(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_alert_mail *mail);

/* Removes the records of confirmation mails that no limit counts any more, EDS_OUTBOX_FORGET_BATCH
 * at most. */
RT_MUST_USE rt_status eds_store_alert_mail_forget(struct rt_ctx *ctx, struct eds_store *store);

#endif
