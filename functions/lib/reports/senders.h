/* Services that are known to send mail for many, by the domains under which they do: of their
 * hosts' names (PTR), of their bounce addresses (SPF) and of the records their customers include.
 */
#ifndef EDS_REPORTS_SENDERS_H
#define EDS_REPORTS_SENDERS_H

enum eds_sender_kind {
	EDS_SENDER_SERVICE,   /* sends campaigns, receipts, tickets in its customers' names */
	EDS_SENDER_MAILBOX,   /* holds mailboxes, so what it sends may have been passed on */
	EDS_SENDER_FORWARDER, /* passes mail on: aliases, mailing lists */
};

struct eds_sender {
	const char *domain; /* lower case */
	const char *name;
	enum eds_sender_kind kind;
};

/* The one whose domain is the name or above it; NULL when it is nobody's that is known. The name is
 * in lower case, without a final dot. */
const struct eds_sender *eds_sender_of(const char *name);

#endif
