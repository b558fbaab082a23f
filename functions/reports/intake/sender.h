/* Verifies the sender of a report mail by SPF, DKIM and DMARC (RFC 9990 section 4 requires it to
 * pass).
 *
 * The verifier is the tester's. Mail without a public client address, for example from this machine
 * or through a relay that does not give one, can only prove its sender by an aligned signature.
 */
#ifndef REPORTS_SENDER_H
#define REPORTS_SENDER_H

#include "functions/lib/dns/dns.h"
#include "functions/reports/intake/sender-name.h"
#include "runtime/event/event.h"

enum {
	REPORT_SENDER_TIME_MS = 20000, /* maximum wait for DNS, after which nothing is proved */
};

/* Fails as eds_verify() does. */
RT_MUST_USE rt_status report_sender_judge(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct rt_mail_event *mail, int message_fd, size_t message_bytes,
	struct report_sender *sender);

#endif
