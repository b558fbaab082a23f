/* The elements of SPF records: domain names, domain-specs, macros (RFC 7208 sections 7.1, 12).
 *
 *     %{ir}.%{v}._spf.%{d2}     a domain-spec with three macros
 */
#ifndef EDS_SPF_SYNTAX_H
#define EDS_SPF_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

/* One macro-expand: "%{ir}", or an escape "%%", "%_", "%-". */
struct eds_spf_macro {
	char letter;     /* the letter in lower case: s l o d i p v h c r t; for an escape % _ or
			  * - */
	unsigned digits; /* number of right-hand parts to keep; 0 for all */
	bool reverse;
	bool escape;            /* the letter was in upper case, so the value is URL-escaped */
	const char *delimiters; /* characters that separate the value's parts; no NUL at the end */
	size_t delimiter_count; /* 0 when a dot separates the parts */
};

/* The place of a macro decides which letters it may use: c, r and t only in the text of an
 * explanation.
 */
enum eds_spf_place { EDS_SPF_IN_RECORD, EDS_SPF_IN_EXPLANATION };

/* Reads the macro at the start of text (its first octet is %). Returns the number of its octets; 0
 * when the macro is invalid. */
size_t eds_spf_macro_read(
	const char *text, size_t length, enum eds_spf_place place, struct eds_spf_macro *macro);

/* True for a valid macro-string or, in an explanation, for a valid explain-string, which may
 * contain spaces. The text may be empty. */
bool eds_spf_macro_string_valid(const char *text, size_t length, enum eds_spf_place place);

/* True for a domain-spec: a macro-string that ends in ".toplabel" or in a macro. */
bool eds_spf_domain_spec_valid(const char *text, size_t length);

/* True for a name that check_host() accepts (section 4.3): at most 253 octets, in two labels or
 * more. A label has 1 to 63 letters, digits, hyphens or underscores; the last label is not all
 * digits. A final dot is allowed. */
bool eds_spf_domain_valid(const char *name);

#endif
