/* Looks up the DNS names, networks and blocklist results of addresses while a user waits: for a
 * second at most, and for a limited number of addresses. Later requests look up the rest. */
#ifndef EDS_REPORTS_SOURCE_NAME_H
#define EDS_REPORTS_SOURCE_NAME_H

#include "functions/lib/store/reports/report-sources.h"

/* Looks up the DNS name of each source that is due, and sets the source's name and ask_at_ms. If
 * with_facts is true, it also looks up the source's network and what blocklists say of the address,
 * and sets the members for these facts, among them facts_at_ms. *asked: copies of the sources that
 * were looked up, in ctx's memory. */
RT_MUST_USE rt_status report_sources_name(struct rt_ctx *ctx, struct eds_report_source *sources,
	size_t count, bool with_facts, struct eds_report_source **asked, size_t *asked_count);

#endif
