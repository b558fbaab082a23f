/* Advice for SPF errors. */
#ifndef EDS_SPF_ERRORS_H
#define EDS_SPF_ERRORS_H

/* How to correct an error, by its code; "" when the reason already says it. Begins with a space. */
const char *eds_spf_way_out(const char *reason_code);

/* What is wrong with a term that has a syntax error, where a common mistake shows: ": an address
 * needs ip4: or ip6: before it". "" for any other. */
const char *eds_spf_mistake(const char *term);

#endif
