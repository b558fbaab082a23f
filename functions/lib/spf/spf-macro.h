/* Macros (RFC 7208 section 7) and the explanation (section 6.2). */
#ifndef EDS_SPF_MACRO_H
#define EDS_SPF_MACRO_H

#include "functions/lib/spf/spf-check.h"

/* Expands the macros of a checked macro-string (section 7). NULL when the result exceeds max
 * octets. */
char *eds_spf_expand(struct eds_spf_check *check, const struct eds_spf_source *source,
	const char *text, enum eds_spf_place place, size_t max);

/* The name that a term refers to: its target, expanded and cut to 253 octets; if it has no target,
 * the record's domain. NULL when the check has ended. */
const char *eds_spf_target_name(struct eds_spf_check *check, const struct eds_spf_source *source,
	const struct eds_spf_term *term);

/* The expanded explanation that the record's exp= names; "" when there is none, when DNS does not
 * give exactly one TXT record for it, or when it is invalid or too long (section 6.2). */
const char *eds_spf_explain(struct eds_spf_check *check, const struct eds_spf_source *source);

#endif
