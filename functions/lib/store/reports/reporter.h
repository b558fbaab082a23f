/* Who reports about a domain: the organizational domain in From of the mail that brought a report,
 * and whether it proved that (RFC 9990 section 4: a report mail must pass DMARC itself).
 *
 * A reporter is verified by each mail anew. The owner of the domain may accept one that proves
 * nothing, or block one; that holds from then on, and lines that are there count or do not at once.
 */
#ifndef EDS_STORE_REPORTER_H
#define EDS_STORE_REPORTER_H

#include "functions/lib/store/domains/domain.h"

enum {
	/* of one domain, that never proved anything: strangers choose their names */
	EDS_REPORTERS_UNVERIFIED_MAX = 50,
};

/* The way of a report that the domain's owner handed in. */
#define EDS_REPORT_UPLOAD "upload"

/* Of one mail. Results as in an Authentication-Results field (RFC 8601). */
struct eds_report_origin {
	const char *reporter; /* "" when From names no one domain */
	bool judged;          /* false of lines from before reporters were judged */
	bool verified;   /* an aligned domain passed, and the report is in its name; or the owner of
			    the domain handed it in, who vouches for it */
	const char *spf; /* "pass", "none", …; "" when not judged */
	const char *dkim;
	const char *dmarc;
	const char *standing; /* what the owner said: "accepted", "blocked", "" */
	const char *way;      /* it came: "mail", "https", posted by its reporter, or "upload" */
};

/* What is known of a reporter. */
struct eds_reporter {
	const char *domain;
	const char *standing;
	int64_t first_seen_ms; /* 0: never reported */
	int64_t last_seen_ms;
	int64_t verified_ms; /* latest, 0 never */
	int64_t verified_reports;
	int64_t other_reports;
};

/* In the order of their names, those behind `after` (NULL: from the first), limit at most (0: all).
 */
RT_MUST_USE rt_status eds_store_reporter_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *after, int limit,
	struct eds_reporter **reporters, size_t *count);

/* What the owner says of one: standing "accepted", "blocked", or "" for nothing. *reporter is as it
 * is now. RT_NOT_FOUND "reporter-not-found" for one that is not known. */
RT_MUST_USE rt_status eds_store_reporter_decide(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const char *standing,
	struct eds_reporter *reporter);

/* Zeros and "" for one that has never reported. */
RT_MUST_USE rt_status eds_store_reporter_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_reporter *reporter);

bool eds_report_is_upload(const struct eds_report_origin *origin);

/* Whether what such a mail brings counts. */
bool eds_report_origin_counts(const struct eds_report_origin *origin);

struct eds_domain;
struct eds_report_line;
struct eds_store;
struct rt_ctx;
/* Counts the report for its reporter. */
RT_MUST_USE rt_status eds_store_reporter_seen(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line);

#endif
