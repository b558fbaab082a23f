/* SPF (RFC 7208): the result of one check_host(), whoever computed it.
 *
 * The evaluation itself (spf-evaluate.h, libspf2) runs only in the sandbox's child; this is what
 * comes back and what the rest of the system reads.
 */
#ifndef EDS_SPF_H
#define EDS_SPF_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_SPF_TERMS_MAX = 10,    /* terms that cause lookups (section 4.6.4) */
	EDS_SPF_VOID_MAX = 2,      /* void lookups */
	EDS_SPF_RECORD_MAX = 4096, /* octets of a record we evaluate */
	EDS_SPF_TREE_MAX = 64,     /* records named in the include tree */
	EDS_SPF_STEPS_MAX = 64,    /* told of an evaluation: more than the limits let happen */
	EDS_SPF_TIME_MS = 20000,
	EDS_SPF_HELO_TIME_MS = 5000, /* of the second identity: time is left for DKIM */
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

enum eds_spf_via {        /* what names a record */
	EDS_SPF_VIA_NONE, /* nothing: it is the domain's own */
	EDS_SPF_VIA_INCLUDE,
	EDS_SPF_VIA_REDIRECT,
};

struct eds_spf_node {   /* one record that was read, in the order of evaluation */
	unsigned depth; /* 0 for the domain's own */
	enum eds_spf_via via;
	const char *domain;
	const char *record; /* "" when there was none */
};

/* What became of a term that the evaluation came to. Those before it in its record were reached
 * too, and did not match. */
enum eds_spf_step_flag {
	EDS_SPF_STEP_VOID = 1,    /* DNS does not have what it names */
	EDS_SPF_STEP_OVER = 2,    /* it is the one past a limit */
	EDS_SPF_STEP_MATCHED = 4, /* it decided, or is an include or redirect on the way there */
	EDS_SPF_STEP_FLAGS = 7,
};

struct eds_spf_step { /* in the order of evaluation */
	size_t node;  /* of the tree */
	size_t term;  /* of its record, from 0; as many as there are: its end was reached */
	unsigned flags;
};

struct eds_spf_result {
	enum eds_spf_code code;
	bool unjudged;      /* EDS_SPF_NONE only because the client's public address is not known */
	const char *domain; /* the domain whose record decided: MAIL FROM's, or HELO's with <> */
	const char *record; /* its record, "" when none */
	const char *mechanism; /* the term that matched, as written: "include:_spf.example.net"; ""
				  none */
	const char *explanation; /* of a fail, expanded (section 6.2); "" when none */
	const char *reason_code; /* why an error: "too-many-lookups", "syntax", "several-records", …
				    ; "" */
	const char *reason;      /* the sentence; "" */
	unsigned terms;          /* lookups used of EDS_SPF_TERMS_MAX */
	unsigned void_lookups;
	struct eds_spf_node tree[EDS_SPF_TREE_MAX];
	size_t tree_count;
	struct eds_spf_step steps[EDS_SPF_STEPS_MAX];
	size_t step_count;
};

/* "pass", "softfail", …; and back. */
const char *eds_spf_code_name(enum eds_spf_code code);
const char *eds_spf_via_name(enum eds_spf_via via);

#endif
