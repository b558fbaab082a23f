/* SPF (RFC 7208): the result of one check_host().
 *
 * The evaluation (spf-evaluate.h, libspf2) runs only in the sandbox's child, which returns this
 * result to the rest of the system.
 */
#ifndef EDS_SPF_H
#define EDS_SPF_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_SPF_TERMS_MAX = 10,    /* maximum number of terms that cause lookups (section 4.6.4) */
	EDS_SPF_VOID_MAX = 2,      /* maximum number of void lookups (section 4.6.4) */
	EDS_SPF_RECORD_MAX = 4096, /* maximum number of octets of a record that we evaluate */
	EDS_SPF_TREE_MAX = 64,     /* maximum number of records in the tree of includes and
				    * redirects */
	EDS_SPF_STEPS_MAX = 64,    /* maximum number of steps that are recorded; the limits of an
				    * evaluation allow fewer */
	EDS_SPF_TIME_MS = 20000,
	EDS_SPF_HELO_TIME_MS = 5000, /* time for the check of HELO, which follows the check of MAIL
				      * FROM; the remaining time is for DKIM */
};

enum eds_spf_code { /* the results of section 2.6 */
	EDS_SPF_NONE,
	EDS_SPF_NEUTRAL,
	EDS_SPF_PASS,
	EDS_SPF_FAIL,
	EDS_SPF_SOFTFAIL,
	EDS_SPF_TEMPERROR,
	EDS_SPF_PERMERROR,
};

enum eds_spf_via {        /* how the evaluation came to a record */
	EDS_SPF_VIA_NONE, /* the domain's own record */
	EDS_SPF_VIA_INCLUDE,
	EDS_SPF_VIA_REDIRECT,
};

struct eds_spf_node {   /* one record that was read, in the order of evaluation */
	unsigned depth; /* number of includes and redirects that led here; 0 for the domain's own
			 * record */
	enum eds_spf_via via;
	const char *domain;
	const char *record; /* text of the record; "" when there was none. Of several records, an
			     * evaluation keeps the first, and a walk (spf-walk.h) none */
};

/* The outcome of a term for which a step is recorded. Earlier terms of the same record without a
 * recorded step were also evaluated, and did not match. */
enum eds_spf_step_flag {
	EDS_SPF_STEP_VOID = 1,    /* the term's lookup found no records of the type that it asks for
				   * (void lookup) */
	EDS_SPF_STEP_OVER = 2,    /* the term exceeds a limit */
	EDS_SPF_STEP_MATCHED = 4, /* the term decided the result, or is an include or redirect that
				   * led to that term */
	EDS_SPF_STEP_FLAGS = 7,
};

struct eds_spf_step { /* a term that the evaluation reached; steps are in the order of evaluation */
	size_t node;  /* index of the record with the term, in the tree of the result */
	size_t term;  /* index of the term in its record, from 0; the number of terms in the record
		       * when the evaluation reached its end */
	unsigned flags;
};

struct eds_spf_result {
	enum eds_spf_code code;
	bool unjudged;         /* code is EDS_SPF_NONE only because the client's public address is
				* unknown */
	const char *domain;    /* the domain checked: that of MAIL FROM; or of HELO, if MAIL FROM is
				* <> or HELO is checked */
	const char *record;    /* SPF record of that domain; "" if none */
	const char *mechanism; /* the term that matched, as written: "include:_spf.example.net"; ""
				* if none */
	const char *explanation; /* the explanation of a fail, expanded (section 6.2); "" if none */
	const char *reason_code; /* the cause of an error, or why the code is EDS_SPF_NONE:
				  * "too-many-lookups", "syntax", "several-records", …; "" otherwise
				  */
	const char *reason;      /* this cause as a sentence; "" if none */
	unsigned terms;          /* number of terms that caused lookups; EDS_SPF_TERMS_MAX are
				  * allowed */
	unsigned void_lookups;
	struct eds_spf_node tree[EDS_SPF_TREE_MAX];
	size_t tree_count;
	struct eds_spf_step steps[EDS_SPF_STEPS_MAX];
	size_t step_count;
};

/* The word for a result: "pass", "softfail", … */
const char *eds_spf_code_name(enum eds_spf_code code);
const char *eds_spf_via_name(enum eds_spf_via via);

#endif
