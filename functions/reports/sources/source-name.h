/* Names of addresses in DNS, their networks and what blocklists say of them, asked for while
 * somebody waits: no longer than a second for all, and of a few of them; what is not there by then
 * is asked for the next time.
 */
#ifndef EDS_REPORTS_SOURCE_NAME_H
#define EDS_REPORTS_SOURCE_NAME_H

#include "functions/lib/store/reports/report-sources.h"

/* Asks for the names of those whose time has come and sets name and ask_at_ms; with_facts: also for
 * network and lists, and sets those and facts_at_ms. *asked are copies of these, in ctx's memory.
 */
RT_MUST_USE rt_status report_sources_name(struct rt_ctx *ctx, struct eds_report_source *sources,
	size_t count, bool with_facts, struct eds_report_source **asked, size_t *asked_count);

#endif
