/* SPF (RFC 7208): the result of one check_host().
 *
 * The evaluation (spf-evaluate.h, libspf2) runs only in the sandbox's child, which returns this
 * result to the rest of the system.
 */
#ifndef EDS_SPF_H
#define EDS_SPF_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_SPF_TERMS_MAX = 10,    /* terms that cause lookups (section 4.6.4) */
	EDS_SPF_VOID_MAX = 2,      /* void lookups */
	EDS_SPF_RECORD_MAX = 4096, /* octets of the longest record that we evaluate */
	EDS_SPF_TREE_MAX = 64,     /* records kept in the include tree */
	EDS_SPF_STEPS_MAX = 64,    /* kept of an evaluation: more than the limits allow */
	EDS_SPF_TIME_MS = 20000,
	EDS_SPF_HELO_TIME_MS = 5000, /* for the second identity; leaves time for DKIM */
};

enum eds_spf_code { /* section 2.6 */
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
	unsigned depth; /* 0 for the domain's own */
	enum eds_spf_via via;
	const char *domain;
	const char *record; /* "" when there was none */
};

/* The outcome of a term that the evaluation reached. It also reached the terms before it in the
 * record; those did not match. */
enum eds_spf_step_flag {
	EDS_SPF_STEP_VOID = 1,    /* its name has no records in DNS (void lookup) */
	EDS_SPF_STEP_OVER = 2,    /* it exceeds a limit */
	EDS_SPF_STEP_MATCHED = 4, /* it decided, or is an include or redirect on the way */
	EDS_SPF_STEP_FLAGS = 7,
};

struct eds_spf_step { /* in the order of evaluation */
	size_t node;  /* index in the tree */
	size_t term;  /* index in its record, from 0; the number of terms: the end was reached */
	unsigned flags;
};

struct eds_spf_result {
	enum eds_spf_code code;
	bool unjudged;      /* EDS_SPF_NONE only because the client's public address is unknown */
	const char *domain; /* the domain whose record decided: MAIL FROM's, or HELO's with <> */
	const char *record; /* its record, "" when none */
	const char *mechanism; /* the term that matched, as written: "include:_spf.example.net"; ""
				  none */
	const char *explanation; /* of a fail, expanded (section 6.2); "" when none */
	const char *reason_code; /* the cause of an error: "too-many-lookups", "syntax",
				    "several-records", … ; "" */
	const char *reason;      /* the error as a sentence; "" */
	unsigned terms;          /* lookups used of EDS_SPF_TERMS_MAX */
	unsigned void_lookups;
	struct eds_spf_node tree[EDS_SPF_TREE_MAX];
	size_t tree_count;
	struct eds_spf_step steps[EDS_SPF_STEPS_MAX];
	size_t step_count;
};

/* "pass", "softfail", … */
const char *eds_spf_code_name(enum eds_spf_code code);
const char *eds_spf_via_name(enum eds_spf_via via);

#endif
