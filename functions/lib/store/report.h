/* The log of reports that came to a domain's report address: DMARC aggregate reports and TLS
 * reports, kept 90 days, and the evidence about selectors that they brought.
 *
 * A report counts once for a domain, however often and to whichever address it comes: its identity
 * is kind, policy domain, reporter and the reporter's id of it. What cannot be read is logged with
 * the reason, under the message that brought it. A line of the log, the evidence and the selectors
 * discovered are one transaction.
 */
#ifndef EDS_STORE_REPORT_H
#define EDS_STORE_REPORT_H

#include "functions/lib/store/selector.h"

#define EDS_REPORT_KEPT_MS (INT64_C(90) * 24 * 3600 * 1000)

enum {
	/* What reports may make known of a domain's selectors, since anybody can send one. */
	EDS_DISCOVERED_REPORT_MAX = 20,  /* new ones of one report */
	EDS_DISCOVERED_DOMAIN_MAX = 100, /* of one domain, registered ones not counted */
	EDS_DISCOVERED_FAILED_MAX = 30,  /* of those, with no signature that ever passed */
	EDS_REPORT_SHOWN_MAX = 100,      /* selectors that a line of the log tells of */
	EDS_REPORTS_DOMAIN_MAX =
		100000, /* lines of one domain: whoever sends more loses the oldest */
	EDS_REPORTS_EXPIRE_BATCH = 1000,
};

/* What became of a selector that a report names. */
enum eds_named_outcome {
	EDS_NAMED_OPEN,    /* not decided yet: legal, and of a domain that is monitored */
	EDS_NAMED_KNOWN,   /* the domain has it; its evidence grows */
	EDS_NAMED_NEW,     /* discovered */
	EDS_NAMED_COUNTED, /* this report has counted for its domain before */
	EDS_NAMED_REPORT_FULL,
	EDS_NAMED_DOMAIN_FULL,
	EDS_NAMED_FAILED_FULL,
	/* from here on it stays as the reader of the report found it */
	EDS_NAMED_DOTTED,    /* several labels: outside the interface's names */
	EDS_NAMED_ILLEGAL,   /* missing, or with other characters */
	EDS_NAMED_ELSEWHERE, /* of a domain that is not monitored here */
};

struct eds_named_selector {
	const struct eds_domain *domain; /* monitored, of the same account; NULL: elsewhere */
	const char *domain_name;         /* d= */
	const char *selector;            /* as the report spells it */
	int64_t pass_count;              /* messages */
	int64_t fail_count;
	enum eds_named_outcome outcome;

	/* Of one that is NEW: what DNS says of it. NULL: nothing yet, it is due at next_at_ms. */
	const struct eds_selector_check *check;
	int64_t next_at_ms;
};

/* Sessions that failed in one way, summed over a TLS report. */
struct eds_report_failure_sum {
	const char *type; /* "certificate-expired" */
	int64_t sessions;
};

/* One line of the log. Texts of the reporter are NULL when unknown. */
struct eds_report_line {
	const char *id;         /* UUIDv7; made when it is added */
	const char *identity;   /* only when it is added */
	const char *message_id; /* the same */
	int64_t received_at_ms;
	const char *kind;  /* "dmarc", "tls", "unknown" */
	const char *state; /* "read", "duplicate", "refused" */
	const char *mail_from;
	const char *organization;
	const char *contact;
	const char *reporter_id;
	const char *policy_domain;
	int64_t begins_at_ms; /* of its period; 0 unknown */
	int64_t ends_at_ms;
	int64_t records;
	int64_t total; /* messages (DMARC) or sessions (TLS), and what became of them */
	int64_t passed;
	int64_t failed;
	const char *reason_code; /* why it is not "read", else NULL */
	const char *reason;

	/* JSON. What was discovered, [{domain, selector}, …]; of one line alone also every selector
	 * it named with its outcome, and what the report says. */
	const char *discovered;
	const char *selectors;
	const char *detail;
};

enum eds_report_added {
	EDS_REPORT_ADDED,     /* a line more */
	EDS_REPORT_DUPLICATE, /* the log has the report from another message; a line says so */
	EDS_REPORT_SAME,      /* this message has been read before: nothing changes */
};

/* What will become of the selectors that are still OPEN, as things are now, in their order; those
 * NEW are to be looked up in DNS. */
RT_MUST_USE rt_status eds_store_report_plan(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_named_selector *named, size_t count);

/* One report of a mail, or why there is none. */
struct eds_report_item {
	struct eds_report_line *line; /* its state is "read" or "refused" */
	struct eds_named_selector *named;
	size_t named_count;
	const struct eds_report_failure_sum *failures;
	size_t failure_count;
	enum eds_report_added added; /* when it is done */
};

/* Adds the lines of one mail to a domain's log, all or none; for those that are "read" the outcomes
 * of their selectors are decided anew from those of the plan, and discovered and selectors of the
 * line are set. RT_NOT_FOUND "domain-not-found" when the domain has just been deleted. */
RT_MUST_USE rt_status eds_store_reports_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *items, size_t count);

/* Newest first, those behind the line of the id `before` (NULL: from the newest), limit at most (0:
 * all). Without selectors and detail. */
RT_MUST_USE rt_status eds_store_report_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *before, int limit,
	struct eds_report_line **lines, size_t *count);

/* RT_NOT_FOUND "report-not-found". */
RT_MUST_USE rt_status eds_store_report_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *id, struct eds_report_line *line);

/* What TLS reports said of the domain since a time: sessions, and those that failed by type, the
 * most frequent first. */
struct eds_tls_sums {
	int64_t reports;
	int64_t successful;
	int64_t failed;
	struct eds_report_failure_sum *failures;
	size_t failure_count;
};
RT_MUST_USE rt_status eds_store_tls_sums(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, int64_t since_ms, struct eds_tls_sums *sums);

/* Forgets what came more than 90 days ago, EDS_REPORTS_EXPIRE_BATCH at most; *removed is how many.
 */
RT_MUST_USE rt_status eds_store_reports_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* Forgets the oldest of a domain with more than domain_max lines, as many at most. It looks at the
 * domains with the last day's lines, and of those at the ones that would fill the log at this rate;
 * so there may be twice as many before they go. */
RT_MUST_USE rt_status eds_store_reports_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t domain_max, size_t *removed);

#endif
