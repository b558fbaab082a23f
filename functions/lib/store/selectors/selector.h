/* DKIM selectors of domains, the latest check of each, and what changed in 90 days.
 *
 * A selector is shown as given and unique within its domain without regard to case. It is due for
 * its next check at a time that stands in its row; whoever checks it moves that time to the end of
 * his lease first, so that any number of processes can work at once, and what a killed one held is
 * due again when its lease is over. A result is written only while the lease still stands.
 */
#ifndef EDS_STORE_SELECTOR_H
#define EDS_STORE_SELECTOR_H

#include "functions/lib/store/alerts/alert-news.h"
#include "functions/lib/store/selectors/selector-check.h"

#define EDS_SELECTOR_HISTORY_MS (INT64_C(90) * 24 * 3600 * 1000)

enum {
	EDS_SELECTOR_LEASE_MS = 2 * 60 * 1000,
	EDS_SELECTOR_LIST_MAX = 1000, /* of one page */
};

struct eds_selector {
	const char *name;      /* as given */
	bool manual;           /* registered, not discovered in reports */
	int64_t created_at_ms; /* of its row: when it was registered or discovered first */
	int64_t first_seen_ms; /* evidence from reports; 0 never */
	int64_t last_seen_ms;
	int64_t pass_count; /* messages with a signature of it that verified, and that did not */
	int64_t fail_count;
	/* Another domain of the account that publishes the same key itself; NULL none. A key behind
	 * a CNAME belongs to whom the alias leads to, and is shared on purpose. */
	const char *shared_with;
	struct eds_selector_check check;
};

struct eds_selector_change {
	int64_t at_ms;
	const char *state;
	const char *key_type;
	int64_t key_bits;
	const char *errors;
	const char *warnings;
	const char *record; /* NULL without one, as the next, and in lines of earlier releases */
	const char *key_hash;
	bool key_changed;
};

enum eds_due_outcome {
	EDS_DUE_OPEN,    /* nothing: due again after the lease */
	EDS_DUE_KEPT,    /* the latest result stays as it is */
	EDS_DUE_SAME,    /* checked, with the same result */
	EDS_DUE_FILLED,  /* the same, with what an earlier release did not keep of it */
	EDS_DUE_CHANGED, /* another result, which is history too */
};

/* One claimed selector, and what became of it. */
struct eds_selector_due {
	const char *domain_id;
	const char *name; /* in lower case */
	const char *domain;
	int64_t digest; /* of the latest result, as the next seven */
	int64_t key_digest;
	const char *key_hash;  /* of the last key that was known, usable now or not; NULL none */
	int64_t record_digest; /* of the result whose record is kept */
	const char *state;
	const char *key_type;
	int64_t key_bits;
	bool wildcard;
	int64_t probed_at_ms;
	int64_t changed_at_ms;
	int64_t lease_ms; /* its end */

	enum eds_due_outcome outcome;
	int64_t next_at_ms;
	const struct eds_selector_check *check; /* SAME: its times alone; CHANGED: all of it */
	struct eds_alert_all_news news;         /* of CHANGED */
};

/* Registers it with its first result; one that reports made known (*discovered) stays as it is but
 * for its name as given, and the result is left to be written. RT_CONFLICT "selector-exists" when
 * it is registered already; RT_FORBIDDEN "selector-limit" when the domain has as many as the plan
 * allows; RT_NOT_FOUND "domain-not-found" when the domain has just been deleted. */
RT_MUST_USE rt_status eds_store_selector_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const struct eds_selector_check *check,
	int64_t next_at_ms, bool *discovered);

/* Which selectors, in which order; all by name, in lower case, where nothing is set. */
struct eds_selector_query {
	enum eds_order order;
	const struct eds_selector *after; /* that the page begins behind: by its name, or by its
					     time and name; it may have gone since. NULL: from the
					     start */
	int limit;                        /* 0: all */
	const char *part;                 /* of the name, in lower case; NULL: any name */

	/* "revoked", "invalid", "unknown"; of those that are valid "active" where a report has
	 * named it since then, else "unused". NULL: any. */
	const char *state;
	int64_t active_since_ms;
};

/* With its history; *shown is the name as it was given. */
RT_MUST_USE rt_status eds_store_selector_delete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const char **shown);

/* The changes of the last 90 days, newest first. */
RT_MUST_USE rt_status eds_store_selector_history(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector_change **changes,
	size_t *count);

/* The one sentence for a selector that the domain does not have. */
RT_MUST_USE rt_status eds_store_no_selector(struct rt_ctx *ctx);

/* Forgets changes older than 90 days. */
RT_MUST_USE rt_status eds_store_selector_history_prune(
	struct rt_ctx *ctx, struct eds_store *store, int64_t *removed);

#endif
