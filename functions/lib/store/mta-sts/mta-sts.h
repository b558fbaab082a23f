/* The MTA-STS configuration of domains (RFC 8461), the result of the latest check of each domain,
 * and the time of the next check.
 *
 *     enabled, mode, max_age_s 604800, patterns {"*.mail.example.com"}, hosted,
 *     policy_id "20260131235959k3f7q2m9xw4dz5ab"
 *
 * A domain gets its configuration when it is registered. The policy id
 * (functions/lib/mta-sts/policy-id.h) belongs in the TXT record of _mta-sts.DOMAIN. The newest
 * EDS_POLICY_IDS_KEPT ids of a domain are kept, and also the id in the TXT record, since an id in
 * this record proves who owns the domain. functions/lib/mta-sts decides what a change causes
 * (change.h) and when the next check is due (cadence.h); the rows store the values.
 *
 * Due checks are claimed with a lease, like those of selectors (selector.h). A result is written
 * only while its lease holds. A change of the configuration makes a check due at once and ends
 * every lease, so that a result from before the change is not written after the change.
 */
#ifndef EDS_STORE_MTA_STS_H
#define EDS_STORE_MTA_STS_H

#include "functions/lib/mta-sts/mode.h"
#include "functions/lib/store/alerts/alert-news.h"

enum {
	EDS_MX_PATTERNS_MAX = 100,
	EDS_POLICY_IDS_KEPT = 100,
	EDS_MTA_STS_LEASE_MS = 2 * 60 * 1000,

	EDS_HOSTING_UNTOLD = 1,
	/* maximum number of domains that one call of eds_store_mta_sts_ending() lists */
	EDS_HOSTING_ENDS_BATCH = 100,
};
#define EDS_HOSTING_GOES_ON_MS (INT64_C(30) * 24 * 3600 * 1000)

struct eds_mx_patterns {
	const char *const *items; /* the patterns in lower case as A-labels: "mx.example.com",
				   * "*.example.com" */
	size_t count;
};

/* The result of a check. Strings are NULL when unknown. */
struct eds_mta_sts_observed {
	int64_t checked_at_ms; /* time of the check; 0 when there was none, and the other members
				* then have no meaning */
	const char *dns_id;    /* id in the TXT record */
	bool policy_fetched;   /* the policy was fetched over HTTPS, with a valid certificate */
	const char *policy_mode;
	bool valid;
	const char *errors;   /* JSON array of findings */
	const char *evidence; /* the facts for advice, a JSON object */
};

struct eds_mta_sts {
	const char *domain_id;
	const char *name; /* name of the domain */
	bool enabled;
	enum eds_policy_mode mode;
	int64_t max_age_s;
	struct eds_mx_patterns patterns;
	bool hosted;
	const char *policy_id;
	int64_t updated_at_ms;
	int64_t enforce_held_until_ms; /* until this time senders can still apply the former enforce
					* policy; 0 when there was none */
	int64_t none_until_ms; /* for mode none: until this time senders can still use the previous
				* policy */
	bool proven;   /* the TXT record showed an id of this row, and none of another row since */
	bool look_due; /* the row is not served before a check of the TXT record */
	bool kept_out; /* the TXT record has an id that was issued for another row with this name,
			* live or deleted */
	/* the later of two times: the last change of the configuration, and the check that found
	 * the setup no longer in order */
	int64_t changed_at_ms;
	int64_t fetched_at_ms; /* time of the latest fetch of the policy; 0 for never */
	struct eds_mta_sts_observed observed;
	/* When hosting ends because the plan does not include hosting; 0 when the plan includes
	 * hosting, or nothing is hosted. EDS_HOSTING_UNTOLD when this time is not known yet: the
	 * next run of the job sets the time to EDS_HOSTING_GOES_ON_MS after that run.
	 */
	int64_t hosting_ends_at_ms;
	enum eds_plan plan;             /* plan of the domain's account; not set in a claimed row.
					 * Within an update it is read anew, otherwise it is that of
					 * the given domain */
	struct eds_alert_all_news news; /* what alerts report about an update; queued in the
					 * transaction of the update */
	const char *account_id;         /* account of the domain; set only in a claimed row */
};

RT_MUST_USE rt_status eds_store_mta_sts_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_mta_sts *config);

/* Changes config, and sets its news for alerts; or fails, and the caller gets this failure. The
 * edit runs within the transaction, and runs again when the transaction is repeated, so it must
 * have no other effect. */
typedef rt_status (*eds_mta_sts_edit)(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg);

/* Reads, edits and writes in one transaction: concurrent updates have the same effect as updates
 * one after another. *after is the new configuration. The configuration is only written when the
 * edit has changed enabled, hosted or policy_id; eds_mta_sts_update() changes policy_id when it
 * changes the policy. RT_NOT_FOUND "domain-not-found" when the domain has just been deleted. */
RT_MUST_USE rt_status eds_store_mta_sts_update(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, eds_mta_sts_edit edit, void *arg,
	struct eds_mta_sts *after);

/* What the policy host serves under the name of a domain. */
struct eds_mta_sts_served {
	const char *domain_id;
	int64_t certificate_at_ms; /* when the policy host was last allowed to order a certificate
				    * for the name, within an hour; 0: never */
	enum eds_policy_mode mode;
	int64_t max_age_s;
	struct eds_mx_patterns patterns;
	const char *policy_id;
};

/* What DNS answered for a name's TXT record; id is NULL when the record shows none. */
struct eds_mta_sts_look {
	const char *name;
	const char *id;
};

enum eds_mta_sts_outcome {
	EDS_MTA_STS_OPEN, /* the check was not done: due again after the lease */
	EDS_MTA_STS_KEPT, /* the check has no result: the previous result stays, and the next check
			   * is soon */
	EDS_MTA_STS_CHECKED, /* the check was done: seen is its result, to be written */
};

/* One claimed domain and its outcome.
 *
 * A hosted and enabled domain with fetched_at_ms 0 has no certificate yet: the policy host orders a
 * certificate at the first handshake, and certificate authorities limit the rate of orders. The
 * policies of such domains are therefore fetched one after another, in the order of the claim (the
 * domain that has been due longest comes first), so that their certificates are ordered in turn.
 * All other policies can be fetched at once. Domains that a run does not reach stay
 * EDS_MTA_STS_OPEN, or become KEPT to be checked sooner.
 */
struct eds_mta_sts_due {
	struct eds_mta_sts config; /* the configuration, with the result of the previous check */
	int64_t lease;             /* identifies the lease (due.h) */

	enum eds_mta_sts_outcome outcome;
	struct eds_mta_sts_observed seen;
	int64_t next_at_ms;    /* for KEPT and CHECKED: when the next check is due */
	int64_t changed_at_ms; /* for CHECKED: the new changed_at_ms of the configuration */
	struct eds_alert_all_news news; /* alerts about the outcome */
};

#endif
