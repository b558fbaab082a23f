/* The mail setup of a domain in DNS as the latest check saw it (functions/lib/posture), its changes
 * in the last 90 days, and the time of the next check.
 *
 * A row is made together with its domain, or later if an earlier release made the domain. Due
 * checks are claimed with a lease, like those of selectors (selector.h). An outcome is written only
 * while its lease holds. Items and records are JSON that the code of the check writes and reads
 * (posture/stored.h).
 */
#ifndef EDS_STORE_POSTURE_H
#define EDS_STORE_POSTURE_H

#include "functions/lib/store/alerts/alert-news.h"

#define EDS_POSTURE_HISTORY_MS (INT64_C(90) * 24 * 3600 * 1000)

enum {
	EDS_POSTURE_LEASE_MS = 2 * 60 * 1000,
	EDS_POSTURE_CHANGES_MAX = 16,   /* maximum number of changes that one check records */
	EDS_POSTURE_HISTORY_MAX = 500,  /* maximum number of changes kept per domain, so that
					 * frequent changes do not fill the disk */
	EDS_POSTURE_EXPIRE_BATCH = 500, /* maximum number of changes removed in one transaction */
};

/* An item before or after a change. */
struct eds_posture_side {
	const char *state;
	const char *record;   /* the published records; NULL for none */
	const char *findings; /* codes of the findings, separated by spaces; "" for none */
};

struct eds_posture_change {
	const char *id; /* id of the change, set when the change is written */
	int64_t at_ms;
	const char *item; /* name of the item, such as "dmarc" */
	struct eds_posture_side old;
	struct eds_posture_side now;
};

enum eds_posture_outcome {
	EDS_POSTURE_OPEN, /* the check has no result: due again after the lease */
	EDS_POSTURE_SAME, /* the check found no change: the times are written, and the selectors
			   * that it found */
	EDS_POSTURE_SEEN,
};

/* One claimed domain and its outcome. */
struct eds_posture_due {
	const char *domain_id;
	const char *account_id;
	const char *name;
	bool hosted;          /* MTA-STS is enabled, and the policy is served here */
	const char *evidence; /* evidence of the latest MTA-STS check, JSON; "{}" without one */
	struct eds_posture_kept before;
	int64_t lease; /* identifies the lease (due.h) */

	enum eds_posture_outcome outcome;
	int64_t next_at_ms;
	struct eds_posture_kept after;
	struct eds_posture_change changes[EDS_POSTURE_CHANGES_MAX];
	size_t change_count;
	struct eds_alert_all_news news; /* alerts about these changes */
	/* DKIM selectors that the check found. Selectors that the domain does not have yet are
	 * added as discovered selectors, and are due for a check at once. */
	const char *const *selectors;
	size_t selector_count;
};

/* Reads the stored posture of a domain, with the state "unknown" when the domain has no row or has
 * just been deleted. */
RT_MUST_USE rt_status eds_store_posture_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_posture_kept *kept);

/* Lists the changes of the last 90 days, newest first. Lists only changes that are older than the
 * change with the id `after` (NULL: all changes), and at most `limit` changes (0: no limit). */
RT_MUST_USE rt_status eds_store_posture_history(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *after, int limit,
	struct eds_posture_change **changes, size_t *count);

/* Removes changes older than 90 days, EDS_POSTURE_EXPIRE_BATCH at most. */
RT_MUST_USE rt_status eds_store_posture_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

#endif
