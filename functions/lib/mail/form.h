/* Checks the form of a message by RFC 5322, octet by octet, for faults that make receivers refuse
 * it.
 *
 *     Subject: One
 *     Subject: Another          a field that may appear only once (section 3.6)
 *
 * Collects facts only; the caller knows which receivers refuse which fault.
 */
#ifndef EDS_MAIL_FORM_H
#define EDS_MAIL_FORM_H

#include "functions/lib/mail/header.h"

enum {
	EDS_FORM_LINE_MAX = 998, /* maximum number of octets of a line without its line end (section
				  * 2.1.1) */
	EDS_FORM_NAMES_MAX = 8,  /* maximum number of field names kept for each fault */
	EDS_FORM_NAME_BYTES_MAX = 64,
};

struct eds_form_names {
	const char *items[EDS_FORM_NAMES_MAX]; /* the names of the fields, in printable ASCII, no
						* name twice */
	size_t count;
};

struct eds_form {
	struct eds_form_names doubled;       /* fields that may appear only once (section 3.6), but
					      * appear more often */
	struct eds_form_names doubled_other; /* MIME and List-Unsubscribe fields that may appear
					      * only once, but appear more often */
	struct eds_form_names eight_bit;     /* fields with octets over 127, which need SMTPUTF8 */
	bool eight_bit_utf8;                 /* all octets over 127 in the header are valid UTF-8 */
	size_t long_lines;   /* number of lines over EDS_FORM_LINE_MAX, in header and body */
	size_t longest_line; /* octets of the longest line, without its line end */
	bool bare_cr;
	bool bare_lf;
	bool has_recipient; /* To, Cc or Bcc is present: recommended, not required (section 3.6.3)
			     */
	bool malformed;     /* a header line is not a field */
	bool whole;         /* the header was read to its end */
};

void eds_form_read(struct rt_ctx *ctx, const char *message, size_t length,
	const struct eds_header *header, struct eds_form *form);

/* The names as a list, such as "Subject, To"; "" for none. */
const char *eds_form_names_text(struct rt_ctx *ctx, const struct eds_form_names *names);

#endif
