/* Sources that send in a domain's name and were not there before: a service, the hosts of a
 * domain, or a network (an IPv4 /24, an IPv6 /48), of which
 * REPORT_NEW_SOURCE_MESSAGES have come in the three days before today and none in the four weeks
 * before these. Forwarders are left out, as they pass on what others sent; so is a domain that has
 * been reported on for less than a week and a half, where all would be new.
 *
 * A source is told by the name that DNS confirms for its address: services send from new addresses
 * every day. While DNS does not answer it waits for the next day.
 */
#ifndef EDS_REPORTS_WATCH_SOURCES_H
#define EDS_REPORTS_WATCH_SOURCES_H

#include "functions/lib/store/reports/report-sources.h"

enum {
	REPORT_NEW_SOURCE_MESSAGES = 20,
	REPORT_NEW_SOURCES_MAX = 3, /* of a look, those with the most messages */
};

struct report_new_source {
	const char *who;     /* "Twilio SendGrid", "hosts of example.net", "192.0.2.0/24" */
	const char *address; /* that sent the most of them */
	const char *host;    /* its name; "" none */
	int64_t messages;
	int64_t failed;
	int64_t first_day;
};

/* found: of REPORT_NEW_SOURCES_MAX. Asks DNS, for a second at most, where there may be one. */
RT_MUST_USE rt_status report_new_sources(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, int64_t today, struct report_new_source *found,
	size_t *count);

#endif
