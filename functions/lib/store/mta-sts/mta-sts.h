/* The MTA-STS configuration of domains (RFC 8461), what the latest check of each saw, and when it
 * is due for its next one.
 *
 *     enabled, mode, max_age_s 604800, patterns {"*.mail.example.com"}, hosted,
 *     policy_id "20260131235959k3f7q2m9xw4dz5ab"
 *
 * A configuration is made with its domain. Its policy id belongs into the TXT record of
 * _mta-sts.DOMAIN; it is another after every change of mode, max_age_s or patterns, and is never
 * used again: a time for people to read, and 80 random bits. The newest
 * EDS_POLICY_IDS_KEPT ids of a domain are kept, and the one in the TXT record, since an id seen
 * there proves whose domain it is.
 *
 * Due checks are claimed as selectors are (selector.h): the time in the row moves to the end of the
 * lease, and a result is written only while that lease stands. A changed configuration is due at
 * once and ends every lease, so that what was seen before the change is not written after it.
 */
#ifndef EDS_STORE_MTA_STS_H
#define EDS_STORE_MTA_STS_H

#include "functions/lib/mta-sts/mode.h"
#include "functions/lib/store/alerts/alert-news.h"

enum {
	EDS_MX_PATTERNS_MAX = 100,
	EDS_POLICY_ID_MAX = 32, /* letters and digits (RFC 8461 section 3.1) */
	EDS_POLICY_IDS_KEPT = 100,
	EDS_MTA_STS_LEASE_MS = 2 * 60 * 1000,

	/* Times of next checks are that much early: runs begin with the minute, checks end some
	 * seconds into it. */
	EDS_MTA_STS_EARLY_MS = 15 * 1000,

	EDS_HOSTING_UNTOLD = 1,
	EDS_HOSTING_ENDS_BATCH = 100, /* of those that eds_store_mta_sts_ending() finds */
};
#define EDS_HOSTING_GOES_ON_MS (INT64_C(30) * 24 * 3600 * 1000)

struct eds_mx_patterns {
	const char *const *items; /* "mx.example.com", "*.example.com": lower case, A-labels */
	size_t count;
};

/* What a check saw. Strings are NULL when there is nothing to tell. */
struct eds_mta_sts_observed {
	int64_t checked_at_ms; /* 0: never checked, and nothing else here counts */
	const char *dns_id;    /* in the TXT record */
	bool policy_fetched;   /* over HTTPS, with a certificate that holds */
	const char *policy_mode;
	bool valid;
	const char *errors;   /* JSON array of findings */
	const char *evidence; /* JSON object: what advice is made of */
};

struct eds_mta_sts {
	const char *domain_id;
	const char *name; /* of the domain */
	bool enabled;
	enum eds_policy_mode mode;
	int64_t max_age_s;
	struct eds_mx_patterns patterns;
	bool hosted;
	const char *policy_id;
	int64_t updated_at_ms;
	int64_t enforce_held_until_ms; /* receivers may act on the enforce policy that was left
					  until then; 0 when there was none */
	int64_t none_until_ms; /* of mode none: senders may hold the policy of before until then */
	bool proven;           /* the TXT record carried an id of this domain's last */
	bool look_due;         /* no check looked at the TXT record since it is hosted */
	bool kept_out;         /* it shows an id that another row of the name issued */
	int64_t changed_at_ms; /* last change, or since when it is not in order */
	int64_t fetched_at_ms; /* when its policy was fetched last, 0 never */
	struct eds_mta_sts_observed observed;
	/* Until when hosting goes on though its plan does not include it; 0: it does, or nothing is
	 * hosted; EDS_HOSTING_UNTOLD: for EDS_HOSTING_GOES_ON_MS from the next run of the job on.
	 */
	int64_t hosting_ends_at_ms;
	enum eds_plan plan;             /* of its account; only within an update */
	struct eds_alert_all_news news; /* an update's: told with the change that it writes */
	const char *account_id;         /* only of one that was claimed */
};

RT_MUST_USE rt_status eds_store_mta_sts_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_mta_sts *config);

/* Changes the fields enabled, mode, max_age_s, patterns and hosted of what it is given, with news
 * of it for alerts, or fails with what the caller is told. Runs within the transaction, perhaps
 * several times: it must change nothing else. */
typedef rt_status (*eds_mta_sts_edit)(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg);

/* Reads, edits and writes as one: updates at the same time come out as if one after another. *after
 * is what holds now. An edit that changes nothing writes nothing. RT_NOT_FOUND "domain-not-found"
 * when the domain has just been deleted. */
RT_MUST_USE rt_status eds_store_mta_sts_update(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, eds_mta_sts_edit edit, void *arg,
	struct eds_mta_sts *after);

/* What the policy host serves for a domain of this name. */
struct eds_mta_sts_served {
	const char *domain_id;
	int64_t certificate_at_ms; /* when a certificate was allowed last, 0 never */
	enum eds_policy_mode mode;
	int64_t max_age_s;
	struct eds_mx_patterns patterns;
	const char *policy_id;
};

/* What DNS answered for a name's TXT record; id is NULL where it shows none. */
struct eds_mta_sts_look {
	const char *name;
	const char *id;
};

enum eds_mta_sts_outcome {
	EDS_MTA_STS_OPEN,    /* not come to: due again after the lease */
	EDS_MTA_STS_KEPT,    /* nothing was learnt: what was seen before stays, soon again */
	EDS_MTA_STS_CHECKED, /* seen is written */
};

/* One claimed domain, and what became of it.
 *
 * A hosted and enabled domain with fetched_at_ms 0 has no certificate yet: the policy host orders
 * one at the first handshake, and issuers throttle. Fetching such policies one after another, in
 * the order of the claim (the longest due first), is what warms their certificates; all others can
 * be fetched at once. What a run does not come to stays EDS_MTA_STS_OPEN, or KEPT to come sooner.
 */
struct eds_mta_sts_due {
	struct eds_mta_sts config; /* with what was seen before */
	int64_t lease_ms;          /* its end */

	enum eds_mta_sts_outcome outcome;
	struct eds_mta_sts_observed seen;
	struct eds_alert_all_news news; /* of it */
};

#endif
