/* Reporters of a domain. A reporter is a domain. For a mail with a report, it is the organizational
 * domain in From. For a report that came otherwise, it is the domain that the report names, which
 * proves nothing. A mail verifies its reporter when it passes DMARC (RFC 9990 section 4 requires
 * this of a report mail), and when its report names the reporter or an earlier mail has verified
 * the reporter.
 *
 * Each mail must verify its reporter again. The owner of the domain may accept a reporter that is
 * not verified, or block a reporter; the decision also applies at once to the lines that are
 * already in the log.
 */
#ifndef EDS_STORE_REPORTER_H
#define EDS_STORE_REPORTER_H

#include "functions/lib/store/domains/domain.h"

enum {
	/* maximum number of reporters of a domain that were never verified and about whom the owner
	 * has not decided, because anybody can make up names */
	EDS_REPORTERS_UNVERIFIED_MAX = 50,
};

/* The value of `way` for a report that the domain's owner uploaded. */
#define EDS_REPORT_UPLOAD "upload"

/* Where a report came from. The results of SPF, DKIM and DMARC are named as in an
 * Authentication-Results field (RFC 8601). */
struct eds_report_origin {
	const char *reporter; /* the reporter; "" for none, for example when From does not name
			       * exactly one domain */
	bool judged;   /* false for lines that were stored by releases that did not verify reporters
			*/
	bool verified; /* the mail verifies its reporter, or the owner uploaded the report and
			* vouches for it */
	const char *spf;      /* result of SPF, "pass", "none", …; "" when not judged */
	const char *dkim;     /* result of DKIM; "" when not judged */
	const char *dmarc;    /* result of DMARC; "" when not judged */
	const char *standing; /* the owner's decision: "accepted", "blocked", "" */
	const char *way; /* how the report arrived: "mail", "https" (posted by its reporter), or
			  * "upload" */
};

/* One reporter of a domain, with the counts of its reports. */
struct eds_reporter {
	const char *domain;
	const char *standing;
	int64_t first_seen_ms; /* time of the first report; 0 when the reporter never reported */
	int64_t last_seen_ms;
	int64_t verified_ms; /* time of the latest verified report; 0 for never */
	int64_t verified_reports;
	int64_t other_reports;
};

/* Lists the reporters whose names come after `after` (NULL: all reporters), in the order of their
 * names. Lists at most `limit` reporters (0: no limit). */
RT_MUST_USE rt_status eds_store_reporter_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *after, int limit,
	struct eds_reporter **reporters, size_t *count);

/* Records the owner's decision: standing "accepted", "blocked", or "" for none. *reporter is the
 * new state. RT_NOT_FOUND "reporter-not-found" for an unknown reporter. */
RT_MUST_USE rt_status eds_store_reporter_decide(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const char *standing,
	struct eds_reporter *reporter);

/* Reads a reporter; zeros and "" for a reporter that has never reported. */
RT_MUST_USE rt_status eds_store_reporter_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_reporter *reporter);

bool eds_report_is_upload(const struct eds_report_origin *origin);

/* True when reports with this origin count. */
bool eds_report_origin_counts(const struct eds_report_origin *origin);

/* Counts a report of this origin for its reporter, if the origin has one. */
RT_MUST_USE rt_status eds_store_reporter_seen(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_origin *origin);

#endif
