/* Compares the organization named in a report with the sender of its mail. */
#ifndef REPORTS_SENDER_NAME_H
#define REPORTS_SENDER_NAME_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"

struct report_sender {
	/* The organizational domain of the domain in From or, for a report without a mail, of the
	 * reporter that the report names (poster.h); that domain itself when DNS does not tell its
	 * organizational domain. "" when From does not name exactly one domain, or the report names
	 * none. */
	const char *domain;
	bool proved; /* the domain is proved by SPF or DKIM, aligned with From */
	/* A lookup failed. Its answer might have proved the domain, or might have shown that the
	 * organizational domain is another one. */
	bool undecided;
	/* results of SPF, DKIM and DMARC, named as in RFC 8601; "" without a mail */
	const char *spf;
	const char *dkim;
	const char *dmarc;
};

/* True if the report names the sender as its author. If org_name is a domain, this domain must
 * belong to the sender. If org_name is not a domain, the address in the report must belong to the
 * sender, or org_name must resemble the sender's domain ("Yahoo" and yahoo.com). Anybody can
 * authenticate a domain of their own; this check keeps such a sender from reporting in the name of
 * another. */
bool report_is_of_sender(
	struct rt_ctx *ctx, const struct eds_report *report, const struct report_sender *sender);

#endif
