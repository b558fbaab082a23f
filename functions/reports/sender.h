/* Who sent a report mail: what SPF, DKIM and DMARC say of it (RFC 9990 section 4 wants it to pass).
 *
 * The verifier is the tester's, with the rules of design for the client's address: mail that came
 * without a public one, as from this machine or behind a relay that says nothing, proves something
 * by an aligned signature alone.
 */
#ifndef REPORTS_SENDER_H
#define REPORTS_SENDER_H

#include "functions/lib/dns/dns.h"
#include "functions/lib/reports/report.h"
#include "runtime/event.h"

enum {
	REPORT_SENDER_TIME_MS = 20000, /* of slow DNS, past which nothing is proved */
};

struct report_sender {
	const char *domain; /* the organizational domain of From; "" when it names no one domain */
	bool proved;        /* by SPF or DKIM, aligned with From */
	const char *spf;    /* results by their names in RFC 8601 */
	const char *dkim;
	const char *dmarc;
};

/* Failures as eds_verify() has them. */
RT_MUST_USE rt_status report_sender_judge(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct rt_mail_event *mail, int message_fd, size_t message_bytes,
	struct report_sender *sender);

/* Whether the report is in the sender's name, by org_name, or where that is no domain by the
 * address in it or by the name itself ("Yahoo" of yahoo.com). Everybody can prove a domain of his
 * own: this keeps him from reporting in another's name. */
bool report_is_of_sender(
	struct rt_ctx *ctx, const struct eds_report *report, const struct report_sender *sender);

#endif
