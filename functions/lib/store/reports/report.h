/* The log of reports that arrived at a domain's report address: DMARC aggregate reports and TLS
 * reports, kept 90 days. Each report is one line of the log. The reports also bring evidence about
 * DKIM selectors: how many messages passed and failed with each selector.
 *
 * A report counts once for a domain, however often and to whichever address it comes: its identity
 * consists of kind, policy domain, reporter and the reporter's report id, or the report's period if
 * it has no id. A report that cannot be read is logged with the reason, under the id of its
 * message. A line of the log, its evidence and its discovered selectors are written in one
 * transaction. The body of a report is stored once, however many logs contain it.
 *
 * Anybody can send a report. Sums and evidence only count reports of verified reporters that the
 * domain's owner has not blocked, and of reporters that the owner accepted (reporter.h); other
 * reports are kept apart, only up to a small daily limit (report-add.h).
 */
#ifndef EDS_STORE_REPORT_H
#define EDS_STORE_REPORT_H

#include "functions/lib/store/reports/reporter.h"
#include "functions/lib/store/selectors/selector.h"

#define EDS_REPORT_KEPT_MS (INT64_C(90) * 24 * 3600 * 1000)

enum {
	/* Limits on the selectors that reports make known, since anybody can send a report. */
	/* maximum number of new selectors that one report can add */
	EDS_DISCOVERED_REPORT_MAX = 20,
	/* maximum number of selectors per domain with which no message passed and which have no key
	 * in DNS; EDS_DISCOVERED_DOMAIN_MAX includes these selectors */
	EDS_DISCOVERED_IDLE_MAX = 30,
	EDS_REPORT_SHOWN_MAX = 100, /* maximum number of signatures stored per report */
	/* Maximum number of lines per domain. Beyond it, lines of unverified reporters are removed
	 * first, then the oldest lines. */
	EDS_REPORTS_DOMAIN_MAX = 100000,
	EDS_REPORTS_EXPIRE_BATCH = 1000,
};

/* The identity of the line which says that a daily limit (report-add.h) is reached: the day and the
 * name of the limit. */
#define EDS_REPORT_OVER_IDENTITY "over|%lld|%s"

/* Appended to the identity of a report that was read only as far as its fault: it was cut short or
 * is malformed. */
#define EDS_REPORT_CUT_MARK "|cut"

/* The outcome for a selector that a report names. */
enum eds_named_outcome {
	EDS_NAMED_OPEN,    /* not decided yet: the selector is legal and of a monitored domain */
	EDS_NAMED_KNOWN,   /* the domain already has the selector; if the report counts, its
			    * evidence about the selector is added */
	EDS_NAMED_NEW,     /* the selector is added as a discovered one */
	EDS_NAMED_COUNTED, /* evidence of the same report was counted for the domain before, and is
			    * not counted again */
	EDS_NAMED_REPORT_FULL,
	EDS_NAMED_DOMAIN_FULL,
	EDS_NAMED_DEAD_FULL, /* the domain has EDS_DISCOVERED_IDLE_MAX selectors that have no key in
			      * DNS and with which no message passed */
	EDS_NAMED_NO_KEY,    /* the selector has no key in DNS, and the report does not count */
	/* the reader of the report sets the outcomes below, and the store does not change them */
	EDS_NAMED_DOTTED,    /* the selector has several labels; only in lines of earlier
			      * releases */
	EDS_NAMED_ILLEGAL,   /* the selector is missing, or has illegal characters */
	EDS_NAMED_ELSEWHERE, /* the selector is of a domain that the account does not monitor */
};

struct eds_named_selector {
	const struct eds_domain *domain; /* the account's monitored domain with this name; NULL when
					  * the account monitors no such domain */
	const char *domain_name;         /* d= */
	const char *selector;            /* the selector as the report spells it */
	int64_t pass_count;              /* messages whose signature passed */
	int64_t fail_count;              /* messages whose signature did not pass */
	enum eds_named_outcome outcome;

	/* For the outcome NEW: the result of the selector's check in DNS, after which the next
	 * check is due at next_at_ms. NULL: not checked yet; the first check is due at once. */
	const struct eds_selector_check *check;
	int64_t next_at_ms;
};

/* The failed sessions of one type, summed over a TLS report. */
struct eds_report_failure_sum {
	const char *type; /* "certificate-expired" */
	int64_t sessions;
};

/* Messages of a DMARC report from one source with the same result. */
struct eds_report_row_sum {
	const char *source; /* address of the source; "" if unreadable, or for rows that were not
			     * kept */
	int disposition;    /* disposition of the messages, an enum eds_report_disposition */
	int class;          /* class of the messages, an enum eds_report_class */
	const char *auth;   /* signing and sending domains, in the form of report-rows.h */
	int64_t messages;
};

/* One line of the log. Texts that the reporter did not give are NULL. */
struct eds_report_line {
	const char *id;             /* UUIDv7; set when the line is added */
	const char *identity;       /* set only for adding the line */
	const char *whole_identity; /* for a report that was read only as far as its fault:
				     * identity of the whole report; else NULL */
	const char *message_id;     /* message that brought the report; set only for adding the
				     * line */
	int64_t received_at_ms;
	const char *kind;  /* "dmarc", "tls", "unknown" */
	const char *state; /* "read", "duplicate", "refused" */
	const char *mail_from;
	const char *organization;
	const char *contact;
	const char *reporter_id;
	const char *policy_domain;
	int64_t begins_at_ms; /* begin of the report's period; 0 if unknown */
	int64_t ends_at_ms;
	int64_t records;
	int64_t total; /* number of messages (DMARC) or sessions (TLS); the next three members
			* divide it by result */
	int64_t passed;
	int64_t forwarded; /* 0 for a TLS report */
	int64_t failed;
	const char *reason_code; /* why state is not "read", or what is wrong in the report; else
				  * NULL */
	const char *reason;

	/* JSON. discovered is [{domain, selector}, …]. In lines of earlier releases, selectors has
	 * every named selector with its outcome, and detail has the contents of the report; in
	 * other lines both are empty. Both are only set when a single line is read. */
	const char *discovered;
	const char *selectors;
	const char *detail;

	/* Who sent the report. Earlier releases did not check whether a mail verifies its reporter;
	 * in the lines that they stored, reporter is "" and judged is false. */
	struct eds_report_origin origin;
	bool counts; /* the report counts in sums and as evidence */

	/* Contents of the report, JSON, with the signatures in the order of `outcomes`; NULL for a
	 * line that was not read, and for lines of earlier releases, which have selectors and
	 * detail. */
	const char *body;
	const char *body_id;    /* id of the body, from eds_report_body_id(); set only for adding
				 * the line */
	const char *original;   /* base64 of the original mail; only set in the line of the first
				 * report in the mail; NULL when the mail is not kept */
	size_t original_length; /* octets of the original mail */
	const char *outcomes;   /* outcomes of the signatures in body, as letters
				 * (eds_named_outcome_name) */
};

enum eds_report_added {
	EDS_REPORT_ADDED,     /* the line is added */
	EDS_REPORT_DUPLICATE, /* the log has the report from another message; the new line says
			       * so */
	EDS_REPORT_SAME,      /* this message was read before: nothing changes */
	EDS_REPORT_OVER, /* a daily limit (report-add.h) is reached, so the report is not stored */
};

/* One report of a mail, or the reason why there is none. */
struct eds_report_item {
	struct eds_report_line *line; /* the line to add, with the state "read" or "refused" */
	struct eds_named_selector *named;
	size_t named_count;
	const uint16_t *of_signature; /* for each signature in the body, the index of its selector
				       * in `named` */
	size_t signature_count;
	const struct eds_report_failure_sum *failures;
	size_t failure_count;
	/* rows of the report; the messages of equal rows are added up */
	const struct eds_report_row_sum *sums;
	size_t sum_count;
	enum eds_report_added added; /* set by eds_store_reports_add() */
};

/* Adds the lines of one mail to a domain's log, all or none. For "read" lines it decides the
 * outcomes of their selectors again, starting from the outcomes that eds_store_report_plan() has
 * set, and sets the members `discovered` and `outcomes` of the line. RT_NOT_FOUND
 * "domain-not-found" when the domain has just been deleted. */
RT_MUST_USE rt_status eds_store_reports_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *items, size_t count);

/* Selects lines of the log; selects all lines when nothing is set. */
struct eds_report_query {
	const char *before;   /* only lines older than the line with this id; NULL for all, from the
			       * newest on */
	int limit;            /* maximum number of lines to list; 0 for all */
	const char *reporter; /* only lines of this reporter, in lower case; NULL for any */

	/* Only lines whose period begins from from_ms to to_ms, both included. A line without a
	 * period is selected by the time of its arrival. from_ms or to_ms is 0 for no limit. */
	int64_t from_ms;
	int64_t to_ms;

	/* If of_class is true: only lines with messages or sessions of `class`, an enum
	 * eds_report_class. */
	bool of_class;
	int class;
};

/* Sums over those of a domain's TLS reports that count and that have arrived since a given time:
 * sessions, and failed sessions by type, the most frequent type first. */
struct eds_tls_sums {
	int64_t reports;
	int64_t successful;
	int64_t failed;
	struct eds_report_failure_sum *failures;
	size_t failure_count;
};

#endif
