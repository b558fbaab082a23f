/* Weekly summaries, by mail to those alerts that want them: how the domains of an alert are, and
 * what their reports tell of a week. Any number of processes make those that are due: each is
 * claimed with a lease, and written while that stands.
 */
#ifndef EDS_STORE_ALERT_SUMMARY_H
#define EDS_STORE_ALERT_SUMMARY_H

#include "functions/lib/store/reports/report-watch.h"

enum {
	EDS_SUMMARY_LEASE_MS = 5 * 60 * 1000,
	EDS_SUMMARY_DOMAINS_MAX = 20, /* named, those that need somebody to look first */
};
#define EDS_SUMMARY_EVENT "weekly-summary"

struct eds_summary_domain {
	const char *id;
	const char *name;
	const char *state;           /* of its posture: "ok", "warning", "error", "unknown" */
	struct eds_report_week week; /* zeroes where it is not of these days */
};

/* One claimed summary, what it tells, and what became of it. */
struct eds_summary {
	const char *alert_id;
	int64_t lease_ms;

	/* of eds_store_summary_read */
	bool is_told; /* its alert is on, its address confirmed, and it has a domain */
	int64_t domains;
	int64_t broken;              /* in the state "error" … */
	int64_t weak;                /* … "warning" … */
	int64_t well;                /* … "ok" */
	struct eds_report_week week; /* the sums of all; day: the latest of theirs */
	struct eds_summary_domain worst[EDS_SUMMARY_DOMAINS_MAX];
	size_t worst_count;

	const char *body; /* JSON, as alerts have it; NULL: nothing is sent */
	int64_t next_at_ms;
};

/* One that is due; *found is false where there is none. */
RT_MUST_USE rt_status eds_store_summary_claim(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_summary *summary, bool *found);

/* since_day: reports that were looked at before that day count for nothing. */
RT_MUST_USE rt_status eds_store_summary_read(struct rt_ctx *ctx, struct eds_store *store,
	int64_t since_day, struct eds_summary *summary);

RT_MUST_USE rt_status eds_store_summary_write(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_summary *summary);

/* Of an alert that is told by mail, within the transaction that changes it: from the next Monday
 * on, at seven o'clock UTC, or no more. */
RT_MUST_USE rt_status eds_alert_summary_want(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id, bool wanted);

/* The first Monday's seven o'clock after this. */
int64_t eds_summary_next_ms(int64_t now_ms);

#endif
