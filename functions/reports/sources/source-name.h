/* Looks up the DNS names, networks and blocklist results of addresses: for a second at most, and
 * for a limited number of addresses, because a user may wait for the answer. Later events look up
 * the rest. */
#ifndef EDS_REPORTS_SOURCE_NAME_H
#define EDS_REPORTS_SOURCE_NAME_H

#include "functions/lib/store/reports/report-sources.h"

/* Looks up the DNS names of the first sources that are due, and sets their name and ask_at_ms. If
 * with_facts is true, also looks up their networks and what blocklists say of their addresses, and
 * sets the members for these facts, among them facts_at_ms. *asked: copies of the sources that were
 * looked up, in ctx's memory. */
RT_MUST_USE rt_status report_sources_name(struct rt_ctx *ctx, struct eds_report_source *sources,
	size_t count, bool with_facts, struct eds_report_source **asked, size_t *asked_count);

#endif
