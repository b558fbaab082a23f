/* What the latest look at a domain saw of its mail in DNS (functions/lib/posture), what changed in
 * 90 days, and when the domain is due for its next look.
 *
 * A row is made with its domain. Due looks are claimed as selectors are (selector.h): the time in
 * the row moves to the end of the lease, and an outcome is written only while that lease stands.
 * Items and records are JSON that the look's own code writes and reads (posture/stored.h).
 */
#ifndef EDS_STORE_POSTURE_H
#define EDS_STORE_POSTURE_H

#include "functions/lib/store/alerts/alert-news.h"

#define EDS_POSTURE_HISTORY_MS (INT64_C(90) * 24 * 3600 * 1000)

enum {
	EDS_POSTURE_LEASE_MS = 2 * 60 * 1000,
	EDS_POSTURE_CHANGES_MAX = 16, /* of one look */
	EDS_POSTURE_HISTORY_MAX =
		500, /* kept of a domain: who changes records all day fills no disk */
	EDS_POSTURE_EXPIRE_BATCH = 500, /* changes forgotten in a transaction */
};

/* An item before or after a change. */
struct eds_posture_side {
	const char *state;
	const char *record;   /* NULL: none */
	const char *findings; /* codes, with a space between; "" for none */
};

struct eds_posture_change {
	const char *id; /* made when it is written */
	int64_t at_ms;
	const char *item; /* "dmarc" */
	struct eds_posture_side old;
	struct eds_posture_side now;
};

enum eds_posture_outcome {
	EDS_POSTURE_OPEN, /* nothing: due again after the lease */
	EDS_POSTURE_SAME, /* looked at, and all is as before: its times alone are written */
	EDS_POSTURE_SEEN,
};

/* One claimed domain, and what became of it. */
struct eds_posture_due {
	const char *domain_id;
	const char *name;
	bool hosted;          /* its MTA-STS is switched on, with the policy served here */
	const char *evidence; /* of the latest check of MTA-STS, JSON; "{}" without one */
	struct eds_posture_kept before;
	int64_t lease_ms; /* its end */

	enum eds_posture_outcome outcome;
	int64_t next_at_ms;
	struct eds_posture_kept after;
	struct eds_posture_change changes[EDS_POSTURE_CHANGES_MAX];
	size_t change_count;
	struct eds_alert_all_news news; /* of them */
	/* DKIM selectors that were found, of which those that are not known are discovered, and due
	 * for a check at once. */
	const char *const *selectors;
	size_t selector_count;
};

/* RT_NOT_FOUND "domain-not-found" where the domain has just been deleted, from the next too. */
RT_MUST_USE rt_status eds_store_posture_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_posture_kept *kept);

/* The changes of 90 days, newest first: those older than the one of the id `after` (NULL: from the
 * newest on), limit at most (0: all). */
RT_MUST_USE rt_status eds_store_posture_history(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *after, int limit,
	struct eds_posture_change **changes, size_t *count);

/* Forgets changes older than 90 days, EDS_POSTURE_EXPIRE_BATCH at most. */
RT_MUST_USE rt_status eds_store_posture_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

#endif
