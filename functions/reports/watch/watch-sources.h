/* New sources that send in a domain's name. A source is a service, the hosts of a domain, or a
 * network (an IPv4 /24, an IPv6 /48). It is new if it sent at least REPORT_NEW_SOURCE_MESSAGES
 * messages in the three days before today, and none in the four weeks before those three days.
 * Forwarders are left out, because they pass on mail of others. Domains with reports for less than
 * a week and a half are left out too, because all their sources would be new.
 *
 * A source is identified by the name that DNS confirms for its address, because services send from
 * new addresses every day. While DNS does not answer, the news of a source waits for the next day.
 */
#ifndef EDS_REPORTS_WATCH_SOURCES_H
#define EDS_REPORTS_WATCH_SOURCES_H

#include "functions/lib/store/reports/report-sources.h"

enum {
	REPORT_NEW_SOURCE_MESSAGES = 20,
	/* maximum number of sources that one examination reports: those with the most messages */
	REPORT_NEW_SOURCES_MAX = 3,
};

struct report_new_source {
	const char *who;     /* the sender: "Twilio SendGrid", "hosts of example.net", … */
	const char *address; /* the address that sent the most messages */
	const char *host;    /* DNS name of that address; "": none */
	int64_t messages;
	int64_t failed;
	int64_t first_day; /* first day with its mail, in days since 1970 */
};

/* Finds new sources; found has room for REPORT_NEW_SOURCES_MAX. Asks DNS, for a second at most,
 * when there may be a new source. */
RT_MUST_USE rt_status report_new_sources(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, int64_t today, struct report_new_source *found,
	size_t *count);

#endif
