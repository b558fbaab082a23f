/* Makes the news for alerts from the examination of a domain's reports. */
#ifndef EDS_REPORTS_WATCH_NEWS_H
#define EDS_REPORTS_WATCH_NEWS_H

#include "functions/lib/store/reports/report-watch.h"
#include "functions/reports/watch/watch-rules.h"
#include "functions/reports/watch/watch-sources.h"

struct report_watch_look {
	int64_t today;
	struct report_watch_rise rise;
	enum report_watch_verdict stopped;
	int64_t latest_day; /* latest day with messages, days since 1970; -1: none */
	struct report_new_source sources[REPORT_NEW_SOURCES_MAX];
	size_t source_count;
};

/* Sets the new state and the news in *due, in ctx's memory. The caller must have called
 * RT_JSON_MEMORY(). */
void report_watch_settle(
	struct rt_ctx *ctx, struct eds_report_watch_due *due, const struct report_watch_look *look);

#endif
