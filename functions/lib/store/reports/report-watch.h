/* Domains to which a report came that could be read. Each domain is examined once a day for events
 * about which its owner gets alerts (functions/reports/watch/watch-rules.h).
 *
 * A domain's row is made together with the line of the first such report. Due rows are claimed with
 * a lease, like those of posture.h. An outcome is written only while its lease holds.
 */
#ifndef EDS_STORE_REPORT_WATCH_H
#define EDS_STORE_REPORT_WATCH_H

#include "functions/lib/store/alerts/alert-news.h"
#include "functions/lib/store/report-week.h"

enum { EDS_REPORT_WATCH_LEASE_MS = 5 * 60 * 1000 };

/* Events about which the owner has got an alert and which have not ended. */
struct eds_report_watch {
	int risen_from; /* the percentage of failed messages before it rose, in hundredths of a
			 * percent; -1 when it has not risen */
	bool stopped;   /* reports have stopped coming */
};

/* One claimed domain and its outcome. */
struct eds_report_watch_due {
	const char *domain_id;
	const char *name;
	struct eds_report_watch before;
	int64_t lease; /* identifies the lease (due.h) */

	bool looked; /* the domain was examined; false: nothing is written, and the domain is due
		      * again after the lease */
	int64_t next_at_ms;
	struct eds_report_watch after;
	struct eds_report_week week;
	struct eds_alert_all_news news;
};

/* In one transaction, writes the outcomes of the domains `done`, and claims at most `max` (0: none)
 * domains. The claimed domains are in ctx's memory. *written: how many outcomes were written within
 * their lease. */
RT_MUST_USE rt_status eds_store_report_watch_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_watch_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_report_watch_due **claimed, size_t *claimed_count);

#endif
