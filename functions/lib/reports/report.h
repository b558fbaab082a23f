/* The contents of one mail to a report address, of a posted body or of an uploaded file: DMARC
 * aggregate reports (RFC 7489 appendix C, RFC 9990) and SMTP TLS reports (RFC 8460), or the reason
 * why a report was not read.
 *
 * Everything here was written by an unauthenticated sender and may be forged. Text has been cut to
 * the maxima below and is valid UTF-8 without a NUL; it may contain anything else. The lists are
 * capped. What did not fit into the lists of rows, signatures, TLS policies and TLS failures is
 * counted in separate members.
 *
 *     <record><row><source_ip>192.0.2.10</source_ip><count>3</count>
 *       <policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>fail</spf>…
 *       <auth_results><dkim><domain>example.com</domain><selector>s1</selector>
 *         <result>pass</result></dkim>…
 *     -> row {192.0.2.10, none, aligned pass, fail, messages 3}
 *        signature {example.com, s1, results[EDS_DKIM_RESULT_PASS] 1}
 */
#ifndef EDS_REPORT_H
#define EDS_REPORT_H

#include "runtime/ip.h"

enum {
	EDS_REPORTS_MAX = 20,            /* maximum number of reports per mail; a zip may contain
					  * several */
	EDS_FILE_REPORTS_MAX = 200,      /* maximum number of reports per uploaded file */
	EDS_REPORT_ROWS_MAX = 2000,      /* maximum number of rows per report */
	EDS_REPORT_SIGNATURES_MAX = 500, /* maximum number of pairs of domain and selector per
					  * report */
	EDS_REPORT_AUTH_BYTES_MAX = 8 * 1024,    /* maximum number of octets that the identifiers,
						  * auth_results and reasons of one record take */
	EDS_REPORT_AUTHS_BYTES_MAX = 640 * 1024, /* maximum number of octets that the identifiers,
						  * auth_results and reasons of all rows of a report
						  * take */
	EDS_REPORT_ERRORS_MAX = 10,
	EDS_REPORT_TLS_POLICIES_MAX = 32,
	EDS_REPORT_TLS_STRINGS_MAX = 20,   /* maximum number of lines of a policy, and of its mail
					    * servers */
	EDS_REPORT_TLS_DETAILS_MAX = 300,  /* maximum number of failures with details, over all
					    * policies */
	EDS_REPORT_TLS_FAILURES_MAX = 400, /* maximum number of failures in all: with details, or
					    * without details and summed by type */

	/* The maximum lengths of texts in octets, without the NUL. Longer text is cut after a whole
	 * character. But a longer word or selector is treated as absent, and so is a longer domain,
	 * except for the host names in a TLS report. */
	EDS_REPORT_TEXT_MAX = 512,    /* octets of the name of an organization, an address or a
				       * sentence */
	EDS_REPORT_ID_MAX = 256,      /* octets of a report id; a longer one is cut: see
				       * report_id */
	EDS_REPORT_DOMAIN_MAX = 253,  /* octets of a domain, in lower case without a final dot */
	EDS_REPORT_SELECTOR_MAX = 63, /* octets of a selector, as written; it may contain dots */
	EDS_REPORT_WORD_MAX = 32,     /* octets of p=, adkim= or the type of a TLS failure, in lower
				       * case */
	EDS_REPORT_REMARK_MAX = 200,  /* octets of a comment, a human_result or a line of a TLS
				       * policy */
	EDS_REPORT_IP_MAX = 45,       /* octets of an IPv4 or IPv6 address as text */
};

enum eds_report_kind {
	EDS_REPORT_UNKNOWN, /* the kind could not be determined; such a report always has a fault */
	EDS_REPORT_DMARC,
	EDS_REPORT_TLS,
};

/* What the receiver did with the messages of a row (RFC 9990 adds pass). */
enum eds_report_disposition {
	EDS_DISPOSITION_UNKNOWN, /* the element is missing, or its word is unknown */
	EDS_DISPOSITION_NONE,
	EDS_DISPOSITION_PASS,
	EDS_DISPOSITION_QUARANTINE,
	EDS_DISPOSITION_REJECT,
	EDS_DISPOSITIONS,
};

/* DKIM or SPF of a row as DMARC saw it: pass means passed and aligned. */
enum eds_report_alignment {
	EDS_ALIGNMENT_UNKNOWN, /* the element is missing, or its word is unknown */
	EDS_ALIGNMENT_PASS,
	EDS_ALIGNMENT_FAIL,
	EDS_ALIGNMENTS,
};

/* The result of one signature (RFC 8601 section 2.7.1). */
enum eds_report_dkim_result {
	EDS_DKIM_RESULT_OTHER, /* the element is missing, or its word is unknown */
	EDS_DKIM_RESULT_PASS,
	EDS_DKIM_RESULT_FAIL,
	EDS_DKIM_RESULT_NONE,
	EDS_DKIM_RESULT_POLICY,
	EDS_DKIM_RESULT_NEUTRAL,
	EDS_DKIM_RESULT_TEMPERROR,
	EDS_DKIM_RESULT_PERMERROR,
	EDS_DKIM_RESULTS,
};

/* The class of a row. A row with an aligned pass of SPF counts as passed. Other mail counts as
 * forwarded in two cases: the record has a reason that says so, or an aligned signature passed
 * while SPF checked a domain of somebody else, because forwarders send under their own domain.
 * Services that send for many customers use their own domain, too; such mail of the known services
 * (senders.h) counts as passed. */
enum eds_report_class {
	EDS_CLASS_FAILED,
	EDS_CLASS_PASSED, /* DKIM or SPF passed and is aligned, and the mail does not count as
			   * forwarded */
	EDS_CLASS_FORWARDED,
	EDS_CLASSES,
};

/* The sum of the records of a report that differ only in their count. The rows with the most
 * messages come first. */
struct eds_report_row {
	struct rt_ip source; /* address that sent the mail; family 0 when unreadable */
	enum eds_report_disposition disposition;
	enum eds_report_alignment dkim;
	enum eds_report_alignment spf;
	enum eds_report_class class;
	uint32_t auth; /* index in the report's auths */
	uint64_t messages;
};

/* A reason, dkim or spf element of a record. The texts are those of the report, "" when absent; all
 * but selector and remark are in lower case. */
struct eds_report_auth_item {
	const char *domain;   /* domain; for a reason its type: "mailing_list" */
	const char *selector; /* selector; for spf its scope: "mfrom", "helo" */
	const char *result;
	const char *remark; /* human_result, or the comment of a reason */
};

/* identifiers, auth_results and reasons of a record; many rows may share one auth. */
struct eds_report_auth {
	const char *header_from; /* domain of the From field; "" when absent, like the other
				  * texts */
	const char *envelope_from;
	const char *envelope_to;
	const struct eds_report_auth_item *reasons;
	size_t reason_count;
	const struct eds_report_auth_item *dkim;
	size_t dkim_count;
	const struct eds_report_auth_item *spf;
	size_t spf_count;
	uint32_t left_out; /* number of elements left out at EDS_REPORT_AUTH_BYTES_MAX */
};

/* A struct eds_report_auth as octets, in the form of row-auth.h. */
struct eds_report_auth_bytes {
	const char *bytes;
	uint32_t length;
};

/* The sum of the dkim elements of a report that have the same domain and selector. In the list,
 * pairs that ever passed come before the others; within each of these two groups, the more frequent
 * come first. When the list is full, a pair that passes displaces one that never did. */
struct eds_report_signature {
	const char *domain;                 /* d=; "" when absent or too long */
	const char *selector;               /* s=; "" when absent, empty or too long */
	uint32_t results[EDS_DKIM_RESULTS]; /* number of elements, not of messages, with each
					     * result */
	uint64_t messages;                  /* messages of the records that have an element of this
					     * pair */
	uint64_t passed;                    /* messages of the records whose element of this pair
					     * has the result pass */
};

/* The policy that the receiver found. The words are those of the report, in lower case; "" when
 * absent. */
struct eds_report_policy {
	const char *adkim; /* "r", "s" */
	const char *aspf;
	const char *p; /* "none", "quarantine", "reject" */
	const char *sp;
	const char *np;        /* RFC 9990 */
	const char *testing;   /* t=: "y", "n"; RFC 9990 */
	const char *discovery; /* "psl", "treewalk"; RFC 9990 */
	const char *fo;
	int pct; /* pct=, 0 to 100; -1 when absent or invalid */
};

/* The texts of a list, at most the first EDS_REPORT_TLS_STRINGS_MAX. */
struct eds_report_texts {
	const char *const *items;
	size_t count;
};

/* One policy of a TLS report (RFC 8460 section 4.4). Policies with the same type and domain are
 * merged; the merged policy has the strings and the MX hosts of the first that has any. */
struct eds_report_tls_policy {
	const char *type;   /* "sts", "tlsa", "no-policy-found" */
	const char *domain; /* "" when absent */
	uint64_t successful;
	uint64_t failed;
	struct eds_report_texts strings;  /* policy-string: "version: STSv1", "mode: enforce" */
	struct eds_report_texts mx_hosts; /* mx-host: "*.mail.example.com" */
};

/* The sum of the failures of one policy that agree in all these members but `sessions` (RFC 8460
 * section 4.4). Texts as the reporter wrote them, "" when absent. Past EDS_REPORT_TLS_DETAILS_MAX,
 * failures of one type are merged without details. */
struct eds_report_tls_failure {
	uint32_t policy;  /* index of the failure's policy in tls_policies */
	const char *type; /* "certificate-expired" */
	uint64_t sessions;
	const char *sending_ip;     /* sending-mta-ip */
	const char *receiving_mx;   /* receiving-mx-hostname */
	const char *receiving_helo; /* receiving-mx-helo */
	const char *receiving_ip;
	const char *information; /* additional-information, the URL of a page */
	const char *reason;      /* failure-reason-code */
};

struct eds_report {
	enum eds_report_kind kind;
	/* Why the report was not read, or NULL. With a fault, the texts below and `errors` have the
	 * values read before it, and the other lists are empty. */
	const char *fault_code; /* one of the codes in reader.h */
	const char *fault;      /* a sentence */

	const char *file;   /* name of the part or the member; "" if none */
	uint64_t xml_bytes; /* octets of the report itself, expanded */
	bool repaired;      /* octets or ampersands that XML forbids were corrected */
	/* The flaw of a report that was still read as far as possible; NULL: none.
	 * "report-truncated" or "report-malformed": everything after its last complete record is
	 * missing; "report-email-bare": it contains a mail address written like a tag. */
	const char *flaw_code;
	const char *flaw;
	const char *org;       /* org_name, organization-name */
	const char *email;     /* email, contact-info */
	const char *report_id; /* id that the reporter gave the report; a long one is cut and ends
				* with a digest of the whole, so that ids stay unique */
	const char *domain;    /* policy domain; for a TLS report that of its first policy */
	int64_t begin_s;       /* beginning of the period, in seconds since 1970; 0 when
				* unreadable */
	int64_t end_s;
	const char *version; /* "1.0"; "" when absent, like other texts */
	const char *extra_contact;
	const char *generator;     /* RFC 9990 */
	const char *const *errors; /* errors that the reporter met, in its own words */
	size_t error_count;
	struct eds_report_policy policy;

	/* The members down to other_signatures are for DMARC reports. `messages` is the sum over
	 * all records: the messages of the rows plus messages_of_other_rows. */
	uint64_t records;
	uint64_t messages;
	uint64_t passed;    /* messages of passed rows (enum eds_report_class) */
	uint64_t forwarded; /* messages of forwarded rows; all other messages failed */
	const struct eds_report_row *rows;
	size_t row_count;
	const struct eds_report_auth *auths;
	const struct eds_report_auth_bytes *auth_bytes; /* the auths as octets; set only in the
							 * child */
	size_t auth_count;
	uint64_t records_of_other_rows; /* number of records in the rows that were left out because
					 * of the maxima; the rows with the fewest messages are left
					 * out */
	uint64_t messages_of_other_rows;
	const struct eds_report_signature *signatures;
	size_t signature_count;
	uint64_t other_signatures; /* dkim elements left out at EDS_REPORT_SIGNATURES_MAX */

	/* The members from here on are for TLS reports. Policies and failures past the maxima are
	 * only counted. */
	const struct eds_report_tls_policy *tls_policies;
	size_t tls_policy_count;
	uint64_t other_tls_policies;
	const struct eds_report_tls_failure *tls_failures;
	size_t tls_failure_count;
	uint64_t other_tls_failures; /* failed sessions without an entry in tls_failures */
};

struct eds_reports {
	const struct eds_report *items;
	size_t count;      /* number of items: at least one, because a mail without a report has one
			    * item with the reason */
	bool cut;          /* the mail or file has more reports than these */
	const char *crash; /* the signal that ended the child, for the log; "" if none */
};

#endif
