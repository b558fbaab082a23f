/* The operators of known blocklists, the meanings of their answers, and what the owner of a listed
 * address can do.
 *
 *     zen.spamhaus.org answers 127.0.0.10   Spamhaus ZEN: a range from which its provider
 *                                           allows no direct mail (PBL)
 *
 * A zone is recognized by the end of its name. This end is public; the labels before it may be a
 * customer's key, which is never shown. Names, pages and meanings are literals.
 */
#ifndef EDS_DNSBL_OPERATOR_H
#define EDS_DNSBL_OPERATOR_H

#include <stddef.h>

struct eds_dnsbl_meaning {
	const char *meaning; /* what is listed: "a compromised machine (XBL)" */
	const char *action;  /* what the owner of the address can do, in a few sentences */
};

struct eds_dnsbl_operator {
	const char *name;     /* "Spamhaus ZEN" */
	const char *look_up;  /* URL of the operator's look-up page */
	const char *suffix;   /* end of the names of the list's zones: "spamhaus.org" */
	const char *suffix_2; /* another such end; NULL for none */
	const struct eds_dnsbl_code *codes;
	size_t code_count;
};

/* The operator of a zone, or NULL when unknown. */
const struct eds_dnsbl_operator *eds_dnsbl_operator(const char *zone);

/* The meaning of the answer 127.0.0.N of this operator; `last` is N. For an unknown code, the
 * meaning refers to the operator's page. */
struct eds_dnsbl_meaning eds_dnsbl_meaning(const struct eds_dnsbl_operator *known, unsigned last);

#endif
