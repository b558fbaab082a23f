/* Verifies the sender of a report mail by SPF, DKIM and DMARC, which must pass (RFC 9990 section
 * 4).
 *
 * The verifier is the tester's. Mail without a public client address, for example from this machine
 * or through a relay that does not give one, can only prove its sender by an aligned signature.
 *
 * A failed lookup can leave the sender undecided, as when a resolver is down for a minute. A mail
 * whose event comes again is then put off, for an hour at most: a report that was stored as
 * unverified stays so. Anybody can send mail from a zone that never answers. So while a mail can be
 * put off, its sender gets less time for DNS, and whoever sends the event again bounds how many
 * mails a client may have put off (local/dispatch/fair-queue.h).
 */
#ifndef REPORTS_SENDER_H
#define REPORTS_SENDER_H

#include "functions/lib/dns/dns.h"
#include "functions/reports/intake/sender-name.h"
#include "runtime/event/event.h"

enum {
	REPORT_SENDER_TIME_MS = 20000,   /* maximum wait for DNS, after which nothing is proved */
	REPORT_SENDER_SHORT_MS = 6000,   /* the same while the mail can be put off */
	REPORT_PUT_OFF_MS = 3600 * 1000, /* age from which a mail is put off no more */
};

/* Whether the mail may be put off: it is young enough, and its event comes again. */
bool report_sender_may_wait(const struct rt_mail_event *mail);

/* Fails as eds_verify() does. */
RT_MUST_USE rt_status report_sender_judge(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct rt_mail_event *mail, int message_fd, size_t message_bytes,
	struct report_sender *sender);

#endif
