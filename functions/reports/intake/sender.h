/* Who sent a report mail: what SPF, DKIM and DMARC say of it (RFC 9990 section 4 wants it to pass).
 *
 * The verifier is the tester's, with the rules of design for the client's address: mail that came
 * without a public one, as from this machine or behind a relay that says nothing, proves something
 * by an aligned signature alone.
 */
#ifndef REPORTS_SENDER_H
#define REPORTS_SENDER_H

#include "functions/lib/dns/dns.h"
#include "functions/reports/intake/sender-name.h"
#include "runtime/event/event.h"

enum {
	REPORT_SENDER_TIME_MS = 20000, /* of slow DNS, past which nothing is proved */
};

/* Failures as eds_verify() has them. */
RT_MUST_USE rt_status report_sender_judge(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct rt_mail_event *mail, int message_fd, size_t message_bytes,
	struct report_sender *sender);

#endif
