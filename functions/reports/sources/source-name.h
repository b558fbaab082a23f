/* Looks up the DNS names, networks and blocklist results of addresses while a user waits: for a
 * second at most, and for a limited number of addresses. The rest is looked up the next time. */
#ifndef EDS_REPORTS_SOURCE_NAME_H
#define EDS_REPORTS_SOURCE_NAME_H

#include "functions/lib/store/reports/report-sources.h"

/* Looks up the names of the sources that are due, and sets name and ask_at_ms; with_facts: also
 * looks up network and lists, and sets them and facts_at_ms. *asked: copies of the sources that
 * were looked up, in ctx's memory. */
RT_MUST_USE rt_status report_sources_name(struct rt_ctx *ctx, struct eds_report_source *sources,
	size_t count, bool with_facts, struct eds_report_source **asked, size_t *asked_count);

#endif
