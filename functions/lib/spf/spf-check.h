/* The state of one check_host(). The files for macros, rewriting, answering and the calls of
 * libspf2 share this state.
 *
 * libspf2 never sees a record as published. Each record is checked, then rewritten for this client.
 * Every term that asks DNS gets a private name with the number of its question. Terms ip4 and ip6
 * that do not match the client are left out; in place of one that matches stands "all". For a
 * client with an IPv6 address:
 *
 *     v=spf1 include:%{l}.example.net mx//64 ip4:192.0.2.0/24 -all
 *     v=spf1 +include:1.spf.invalid +mx:2.spf.invalid//64 ?exists:3.spf.invalid -all
 *
 * The exists term never matches; its question tells that the evaluation has reached "all". libspf2
 * decides order, qualifiers, includes, redirects and whether an address of an a or mx term matches.
 * Its DNS questions carry the number, so that this code can count the term (section 4.6.4), expand
 * its macros and ask for the real name. When a limit or an error ends the check, this code records
 * the result, which overrides that of libspf2.
 */
#ifndef EDS_SPF_CHECK_H
#define EDS_SPF_CHECK_H

#include "functions/lib/spf/spf-evaluate.h"
#include "functions/lib/spf/spf-record.h"
#include "functions/lib/spf/spf-syntax.h"

enum {
	EDS_SPF_MX_MAX = 10,  /* maximum number of mail servers of one mx term; more are an error
			       * (section 4.6.4) */
	EDS_SPF_PTR_MAX = 10, /* maximum number of PTR names of the client; further names are
			       * ignored */
	/* The maximum number of questions: one for the domain's own record; one for each mail
	 * server of the mx terms; and for each record that is read (the domain's own, and that of
	 * each include and redirect) one for each allowed term, one for a term over the limit, one
	 * for redirect= and one for the place where a term matches without DNS, or for the end of
	 * the record. */
	EDS_SPF_QUESTIONS_MAX = (1 + EDS_SPF_TERMS_MAX) * (EDS_SPF_TERMS_MAX + 3) +
		EDS_SPF_TERMS_MAX * EDS_SPF_MX_MAX + 1,
	EDS_SPF_ALIAS_MAX = 24,       /* maximum number of octets of a private name like
				       * "123.spf.invalid", with the NUL */
	EDS_SPF_REWRITTEN_MAX = 448,  /* maximum number of octets of a record for libspf2, which
				       * drops everything beyond 511 octets of the compiled
				       * record */
	EDS_SPF_EXPANDED_MAX = 16384, /* maximum number of octets of a name with expanded macros,
				       * before the name is cut to 253 octets */
	EDS_SPF_EXPLANATION_MAX = 1000,
};

/* An SPF record that the evaluation has read. */
struct eds_spf_source {
	const char *domain; /* <domain> of section 4.1: the value of %{d}, and the target of terms
			     * without a domain-spec */
	size_t node; /* index in the result's tree; EDS_SPF_TREE_MAX when the tree was full */
	unsigned depth;
	bool included; /* the record is below an include, so its matches and its exp= do not count
			* for the domain */
	struct eds_spf_record record;
};

/* A question that libspf2 may ask, identified by its number. */
struct eds_spf_question {
	const struct eds_spf_source *source; /* the record in which the question arises; NULL for
					      * the first question, which asks for the domain's own
					      * record */
	/* The term that asks the question; if `place` is set, the term that the evaluation has
	 * reached. NULL for the end of the record and for the first question. */
	const struct eds_spf_term *term;
	const char *host; /* for a question about a mail server of an mx term: this server; NULL for
			   * a question about the term itself */
	bool place; /* asked only to learn that the evaluation has reached this term, or the end of
		     * the record; never matches */
};

struct eds_spf_check {
	struct rt_ctx *ctx;
	const struct eds_lookup *lookup;
	const struct eds_spf_input *input;
	const char *sender;        /* %{s} */
	const char *local_part;    /* %{l} */
	const char *sender_domain; /* %{o} */
	const char *domain;        /* domain of the identity, in lower case without a final dot */
	struct eds_spf_result *result;
	bool stopped;                       /* the result is final: it has code and reason */
	const struct eds_spf_term *reached; /* the last term tried, except terms below an include */
	const struct eds_spf_source *decider; /* the last record read, except records below an
					       * include */
	const struct eds_spf_source *named;   /* the record for which client_name was found;
					       * client_name is the value of %{p} */
	const char *client_name;
	struct eds_spf_question questions[EDS_SPF_QUESTIONS_MAX];
	size_t question_count;
};

/* Ends the check with this result unless it has already ended. */
void eds_spf_stop(struct eds_spf_check *check, enum eds_spf_code code, const char *reason_code,
	const char *format, ...) RT_PRINTF(4, 5);

/* Records that the evaluation has reached the term of this question, or the end of the record. */
void eds_spf_note_step(struct eds_spf_check *check, const struct eds_spf_question *question);
/* Marks the last term reached, and each include and redirect that led to it, as the terms that
 * decided the result. */
void eds_spf_note_match(struct eds_spf_check *check);

/* Counts a term that asks DNS; ends the check when the limit is exceeded. */
void eds_spf_count_term(struct eds_spf_check *check, const struct eds_spf_question *question);

/* Counts a void lookup of a term; ends the check when the limit is exceeded. */
void eds_spf_count_void(struct eds_spf_check *check, const struct eds_spf_question *question);

/* Asks DNS; NULL when the check has ended. Ends the check when its time is over. */
const struct eds_dns_answer *eds_spf_ask(
	struct eds_spf_check *check, const char *name, enum eds_dns_type type);
/* Asks DNS; NULL when the check has ended. Ends the check when its time is over, or when DNS fails
 * temporarily. */
const struct eds_dns_answer *eds_spf_ask_surely(
	struct eds_spf_check *check, const char *name, enum eds_dns_type type);

/* True when the name has an address record equal to the client's address. False when a lookup
 * fails. */
bool eds_spf_name_is_client(struct eds_spf_check *check, const char *name);
/* The type to ask for, A or AAAA, by the family of the client's address. */
enum eds_dns_type eds_spf_address_type(const struct eds_spf_check *check);
/* True when `name` is `domain` or a name below it; ignores case. */
bool eds_spf_name_within(const char *name, const char *domain);
/* The PTR names of the client, EDS_SPF_PTR_MAX at most; NULL when the check has ended. */
const struct eds_dns_answer *eds_spf_client_names(struct eds_spf_check *check, size_t *count);

/* The answer to a question of libspf2's lookup hook; all empty when there is no such record. */
struct eds_spf_reply {
	const struct eds_dns_answer *addresses; /* for a question of type A or AAAA: the answer with
						 * the addresses */
	size_t exchange_count; /* for a question of type MX: number of mail servers, whose private
				* names are in `exchanges` */
	char exchanges[EDS_SPF_MX_MAX][EDS_SPF_ALIAS_MAX];
	bool match; /* for a question of a term that was rewritten as exists: the term matches */
};

#endif
