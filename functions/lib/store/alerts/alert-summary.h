/* Weekly summaries, sent to the mail alerts that want them: the state of the alert's domains and
 * the sums of their reports over a week. Any number of processes make due summaries: each claims
 * one with a lease and writes it while the lease holds.
 */
#ifndef EDS_STORE_ALERT_SUMMARY_H
#define EDS_STORE_ALERT_SUMMARY_H

#include "functions/lib/store/report-week.h"
#include "functions/lib/store/store.h"

enum {
	EDS_SUMMARY_LEASE_MS = 5 * 60 * 1000,
	EDS_SUMMARY_DOMAINS_MAX = 20, /* maximum number of domains that a summary names; the worst
				       * come first */
};
#define EDS_SUMMARY_EVENT "weekly-summary"

struct eds_summary_domain {
	const char *id;
	const char *name;
	const char *state;           /* posture of the domain: "ok", "warning", "error",
				      * "unknown" */
	struct eds_report_week week; /* zeros when the stored week is older than since_day, or when
				      * there is none */
};

/* One claimed summary, its contents and its outcome. */
struct eds_summary {
	const char *alert_id;
	int64_t lease_ms;

	/* eds_store_summary_read() sets the members from here to worst_count */
	bool is_told; /* the summary is to be sent: the alert is on, its address is confirmed, and
		       * there is a domain */
	int64_t domains;
	int64_t broken; /* domains in the state "error" */
	int64_t weak;   /* domains in the state "warning" */
	int64_t well;   /* domains in the state "ok" */
	/* Sums over all domains; week.day is the latest day of any domain. */
	struct eds_report_week week;
	struct eds_summary_domain worst[EDS_SUMMARY_DOMAINS_MAX];
	size_t worst_count;

	const char *body; /* JSON, in the form of an alert; NULL when nothing is sent */
	int64_t next_at_ms;
};

/* Claims a due summary; *found is false when there is none. */
RT_MUST_USE rt_status eds_store_summary_claim(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_summary *summary, bool *found);

/* Reads the contents of the summary; ignores weeks of reports from before since_day. */
RT_MUST_USE rt_status eds_store_summary_read(struct rt_ctx *ctx, struct eds_store *store,
	int64_t since_day, struct eds_summary *summary);

RT_MUST_USE rt_status eds_store_summary_write(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_summary *summary);

/* Switches the weekly summary of a mail alert on (from the next Monday, 07:00 UTC) or off. Runs
 * within the transaction that creates or changes the alert. */
RT_MUST_USE rt_status eds_alert_summary_want(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id, bool wanted);

/* The first Monday 07:00 UTC after now_ms. */
int64_t eds_summary_next_ms(int64_t now_ms);

#endif
