/* Services and hosts of mailboxes that are known to send or to pass on the mail of many customers.
 * A service is known by the domains of its host names (PTR), of its bounce addresses (SPF), and of
 * the SPF records that its customers include. */
#ifndef EDS_REPORTS_SENDERS_H
#define EDS_REPORTS_SENDERS_H

enum eds_sender_kind {
	EDS_SENDER_SERVICE,   /* a service that sends campaigns, receipts, tickets in its customers'
			       * names */
	EDS_SENDER_MAILBOX,   /* a host of mailboxes, so mail that it sends may be forwarded */
	EDS_SENDER_FORWARDER, /* a service that passes mail on: aliases, mailing lists */
};

struct eds_sender {
	const char *domain; /* domain of the service, in lower case */
	const char *name;
	enum eds_sender_kind kind;
};

/* The service whose domain is the name or a parent of it; NULL when none is known. The name is in
 * lower case, without a trailing dot. */
const struct eds_sender *eds_sender_of(const char *name);

#endif
