/* DKIM selectors of domains, the latest check of each selector, and its changes in the last 90
 * days.
 *
 * A selector is shown in the spelling in which it was given, and is unique within its domain
 * without regard to case. Its row has the time of its next check. Before a process checks the
 * selector, it takes a lease of the row. So any number of processes can work at once, and the
 * selectors that a killed process had claimed are due again when their leases end. A result is
 * written only while the lease still holds.
 */
#ifndef EDS_STORE_SELECTOR_H
#define EDS_STORE_SELECTOR_H

#include "functions/lib/store/alerts/alert-news.h"
#include "functions/lib/store/selectors/selector-check.h"

#define EDS_SELECTOR_HISTORY_MS (INT64_C(90) * 24 * 3600 * 1000)

enum {
	/* maximum number of changes kept per selector, so that a record that changes at each check
	 * does not fill the disk */
	EDS_SELECTOR_HISTORY_MAX = 200,
	EDS_SELECTOR_TRIM_BATCH = 500, /* maximum number of a selector's changes removed at once */
	EDS_SELECTOR_LEASE_MS = 2 * 60 * 1000,
	EDS_SELECTOR_LIST_MAX = 1000,    /* maximum number of selectors per page */
	EDS_DISCOVERED_DOMAIN_MAX = 100, /* maximum number of discovered selectors per domain;
					  * registered selectors are not included */
};

struct eds_selector {
	const char *name;      /* name of the selector, as given */
	bool manual;           /* registered by the owner, not discovered */
	int64_t created_at_ms; /* when the selector was first registered or discovered */
	/* the first and the last time for which reports have a signature with the selector; 0 for
	 * never */
	int64_t first_seen_ms;
	int64_t last_seen_ms;
	int64_t pass_count; /* number of messages in reports with a signature of the selector that
			     * verified */
	int64_t fail_count; /* number of messages in reports with a signature of the selector that
			     * did not verify */
	/* Another domain of the account that publishes the same key at its own name, not behind a
	 * CNAME; NULL: none. A key behind a CNAME belongs to the owner of the target, and is shared
	 * on purpose. */
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
	const char *record; /* NULL without a record, and in changes that earlier releases stored */
	const char *key_hash; /* NULL without a key, and in changes that earlier releases stored */
	bool key_changed;
};

enum eds_due_outcome {
	EDS_DUE_OPEN,   /* the check has no result: the selector is due again after its lease */
	EDS_DUE_KEPT,   /* the check has no result: the previous result stays, and only the time of
			 * the next check is written */
	EDS_DUE_SAME,   /* the check has the same result as the previous check */
	EDS_DUE_FILLED, /* the check has the same result as the previous check, with details that an
			 * earlier release did not store */
	EDS_DUE_CHANGED, /* the check has a different result, which is added to the history */
};

/* One claimed selector and its outcome. */
struct eds_selector_due {
	const char *domain_id;
	const char *name; /* name of the selector, in lower case */
	const char *domain;
	int64_t digest; /* digest of the latest result. key_digest, state, key_type, key_bits and
			 * wildcard belong to the same result. */
	int64_t key_digest;
	const char *key_hash;  /* hash of the last known key, usable now or not; NULL if none is
				* known */
	int64_t record_digest; /* digest of the result whose record is stored */
	const char *state;
	const char *key_type;
	int64_t key_bits;
	bool wildcard;
	int64_t probed_at_ms;
	int64_t changed_at_ms;
	int64_t lease; /* identifies the lease (due.h) */

	enum eds_due_outcome outcome;
	int64_t next_at_ms;
	/* the result; all of it is written for EDS_DUE_CHANGED, only its times for EDS_DUE_SAME,
	 * only its times, record and key for EDS_DUE_FILLED */
	const struct eds_selector_check *check;
	struct eds_alert_all_news news; /* alerts to send, for EDS_DUE_CHANGED */
};

/* Registers a selector with its first result. When the selector was discovered before, *discovered
 * is true: its row is marked as registered and gets the given spelling of the name, but not the
 * result, which the caller must then write. RT_CONFLICT "selector-exists" when the selector is
 * registered already; RT_FORBIDDEN "selector-limit" when the domain has as many registered
 * selectors as the plan allows; RT_NOT_FOUND "domain-not-found" when the domain has just been
 * deleted. */
RT_MUST_USE rt_status eds_store_selector_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const struct eds_selector_check *check,
	int64_t next_at_ms, bool *discovered);

/* Selects and orders selectors. When nothing is set, selects all selectors, ordered by their names
 * in lower case. */
struct eds_selector_query {
	enum eds_order order;
	/* The page begins after the name of this selector or, in an order by age, after its
	 * created_at_ms and name. The selector may have been deleted since. NULL: the page begins
	 * with the first selector. */
	const struct eds_selector *after;
	int limit;        /* maximum number of selectors to list; 0 for all */
	const char *part; /* only selectors whose name contains this text, in lower case; NULL for
			   * any name */

	/* Only selectors with this state: "revoked", "invalid", "unknown"; "active" for valid
	 * selectors that a report has named since active_since_ms; "unused" for other valid
	 * selectors. NULL: any state. */
	const char *state;
	int64_t active_since_ms;
};

/* Deletes a selector and its history; *shown is its name as given. */
RT_MUST_USE rt_status eds_store_selector_delete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const char **shown);

/* Lists the changes of the last 90 days, newest first. */
RT_MUST_USE rt_status eds_store_selector_history(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector_change **changes,
	size_t *count);

/* Fails with RT_NOT_FOUND "selector-not-found". */
RT_MUST_USE rt_status eds_store_no_selector(struct rt_ctx *ctx);

/* Removes changes older than 90 days. */
RT_MUST_USE rt_status eds_store_selector_history_prune(
	struct rt_ctx *ctx, struct eds_store *store, int64_t *removed);

#endif
