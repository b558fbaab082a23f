/* Advice for SPF errors. */
#ifndef EDS_SPF_ERRORS_H
#define EDS_SPF_ERRORS_H

/* How to correct an error, by its code; "" for a code that has no advice. The text begins with a
 * space. */
const char *eds_spf_way_out(const char *reason_code);

/* Names the mistake in a term with a syntax error, if it is a common mistake: ": an address needs
 * ip4: or ip6: before it". Otherwise returns "". */
const char *eds_spf_mistake(const char *term);

#endif
