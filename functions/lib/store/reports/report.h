/* The log of reports that came to a domain's report address: DMARC aggregate reports and TLS
 * reports, kept 90 days, and the evidence about selectors that they brought.
 *
 * A report counts once for a domain, however often and to whichever address it comes: its identity
 * is kind, policy domain, reporter and the reporter's id of it. What cannot be read is logged with
 * the reason, under the message that brought it. A line of the log, the evidence and the selectors
 * discovered are one transaction. What a report says is kept once, whatever number of logs has it.
 *
 * Anybody can send a report. Sums and evidence count those of verified reporters, and of reporters
 * that the domain's owner accepted (reporter.h); the others are kept apart, within a small share.
 */
#ifndef EDS_STORE_REPORT_H
#define EDS_STORE_REPORT_H

#include "functions/lib/store/reports/reporter.h"
#include "functions/lib/store/selectors/selector.h"

#define EDS_REPORT_KEPT_MS (INT64_C(90) * 24 * 3600 * 1000)

enum {
	/* What reports may make known of a domain's selectors, since anybody can send one. */
	EDS_DISCOVERED_REPORT_MAX = 20,  /* new ones of one report */
	EDS_DISCOVERED_DOMAIN_MAX = 100, /* of one domain, registered ones not counted */
	EDS_DISCOVERED_IDLE_MAX = 30,    /* of those, without a key in DNS, that never passed */
	EDS_REPORT_SHOWN_MAX = 100,      /* signatures of a report that are kept */
	EDS_REPORTS_DOMAIN_MAX =
		100000, /* lines of one domain: whoever sends more loses the oldest */
	EDS_REPORTS_EXPIRE_BATCH = 1000,
};

/* The identity of the line that says so when a share of a day is used up: the day, the share. */
#define EDS_REPORT_OVER_IDENTITY "over|%lld|%s"

/* Behind the identity of a report that was read as far as it goes. */
#define EDS_REPORT_CUT_MARK "|cut"

/* What became of a selector that a report names. */
enum eds_named_outcome {
	EDS_NAMED_OPEN,    /* not decided yet: legal, and of a domain that is monitored */
	EDS_NAMED_KNOWN,   /* the domain has it; its evidence grows */
	EDS_NAMED_NEW,     /* discovered */
	EDS_NAMED_COUNTED, /* this report has counted for its domain before */
	EDS_NAMED_REPORT_FULL,
	EDS_NAMED_DOMAIN_FULL,
	EDS_NAMED_DEAD_FULL, /* the domain has enough that have no key in DNS */
	EDS_NAMED_NO_KEY,    /* has none, and nobody verified says that it is used */
	/* from here on it stays as the reader of the report found it */
	EDS_NAMED_DOTTED,    /* in lines of earlier releases: several labels */
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

/* Messages of a DMARC report from one source that agree in what became of them. */
struct eds_report_row_sum {
	const char *source; /* "" unreadable, or of rows that were not kept */
	int disposition;    /* enum eds_report_disposition */
	int class;          /* enum eds_report_class */
	const char *auth;   /* who signed and who sent, as report-rows.h says */
	int64_t messages;
};

/* One line of the log. Texts of the reporter are NULL when unknown. */
struct eds_report_line {
	const char *id;       /* UUIDv7; made when it is added */
	const char *identity; /* only when it is added */
	const char
		*whole_identity; /* of one that was cut short: that of the whole one; else NULL */
	const char *message_id;  /* the same */
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
	int64_t forwarded; /* of a TLS report none */
	int64_t failed;
	const char *reason_code; /* why it is not "read", or what is wrong with it, else NULL */
	const char *reason;

	/* JSON. What was discovered, [{domain, selector}, …]; of one line alone also every selector
	 * it named with its outcome, and what the report says. */
	const char *discovered;
	const char *selectors;
	const char *detail;

	/* Who sent it; what a line from before this was asked has: reporter "", not judged. */
	struct eds_report_origin origin;
	bool counts; /* in sums and as evidence */

	/* What it says, JSON, with its signatures in their order; NULL of a line that was not read,
	 * and of one from before, which has selectors and detail. */
	const char *body;
	const char *body_id;    /* eds_report_body_id(); only when it is added */
	const char *original;   /* base64 of the mail, of its first report alone; NULL: not kept */
	size_t original_length; /* octets of the mail */
	const char *outcomes; /* of those signatures; the name of each is eds_named_outcome_name */
};

enum eds_report_added {
	EDS_REPORT_ADDED,     /* a line more */
	EDS_REPORT_DUPLICATE, /* the log has the report from another message; a line says so */
	EDS_REPORT_SAME,      /* this message has been read before: nothing changes */
	EDS_REPORT_OVER,      /* the day's share is used up: nothing is kept of it */
};

/* One report of a mail, or why there is none. */
struct eds_report_item {
	struct eds_report_line *line; /* its state is "read" or "refused" */
	struct eds_named_selector *named;
	size_t named_count;
	const uint16_t *of_signature; /* index in named of each signature in the body */
	size_t signature_count;
	const struct eds_report_failure_sum *failures;
	size_t failure_count;
	const struct eds_report_row_sum *sums; /* those that agree are added up */
	size_t sum_count;
	enum eds_report_added added; /* when it is done */
};

/* Adds the lines of one mail to a domain's log, all or none; for those that are "read" the outcomes
 * of their selectors are decided anew from those of the plan, and discovered and selectors of the
 * line are set. RT_NOT_FOUND "domain-not-found" when the domain has just been deleted. */
RT_MUST_USE rt_status eds_store_reports_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *items, size_t count);

/* Which lines of the log; all where nothing is set. */
struct eds_report_query {
	const char *before;   /* the id of a line that came after them; NULL: from the newest */
	int limit;            /* 0: all */
	const char *reporter; /* who sent them, in lower case; NULL: anybody */

	/* When the period begins, both included; what has no period counts by when it came. 0: at
	 * any time. */
	int64_t from_ms;
	int64_t to_ms;

	/* With messages or sessions of this enum eds_report_class among them. */
	bool of_class;
	int class;
};

/* What TLS reports that count said of the domain since a time: sessions, and those that failed by
 * type, the most frequent first. */
struct eds_tls_sums {
	int64_t reports;
	int64_t successful;
	int64_t failed;
	struct eds_report_failure_sum *failures;
	size_t failure_count;
};

#endif
