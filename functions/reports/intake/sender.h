/* Verifies the sender of a report mail, which must pass DMARC (RFC 9990 section 4). If the domain
 * in From has no DMARC record, SPF or DKIM must pass for this domain, or for a domain above or
 * below it.
 *
 * The same verifier checks mail of the tester. Mail without a public client address, for example
 * from this machine or through a relay that does not name the client, can only prove its sender by
 * an aligned signature.
 *
 * A failed lookup can leave the sender undecided, for example while a resolver is down for a
 * minute. A report that is stored as unverified stays unverified. To avoid that, the mail is put
 * off for an hour at most, if its event will be sent again. Anybody can send mail from a zone whose
 * servers never answer. So the lookups about a sender get less time while the mail can be put off,
 * and the runner limits how many mails of a client are put off (local/dispatch/fair-queue.h).
 */
#ifndef REPORTS_SENDER_H
#define REPORTS_SENDER_H

#include "functions/lib/dns/dns.h"
#include "functions/reports/intake/sender-name.h"
#include "runtime/event/event.h"

enum {
	REPORT_SENDER_TIME_MS = 20000,   /* maximum wait for DNS; later answers prove nothing */
	REPORT_SENDER_SHORT_MS = 6000,   /* maximum wait for DNS while the mail can be put off */
	REPORT_PUT_OFF_MS = 3600 * 1000, /* maximum age of a mail that is put off */
};

/* True if the mail may be put off: it is young enough, and its event will be sent again. */
bool report_sender_may_wait(const struct rt_mail_event *mail);

/* Sets *sender. Fails as eds_verify() does. */
RT_MUST_USE rt_status report_sender_judge(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct rt_mail_event *mail, int message_fd, size_t message_bytes,
	struct report_sender *sender);

#endif
