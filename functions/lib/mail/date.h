/* Date: Fri, 21 Nov 1997 09:55:06 -0600 (RFC 5322 section 3.3; obsolete forms of section 4.3) */
#ifndef EDS_MAIL_DATE_H
#define EDS_MAIL_DATE_H

#include "functions/lib/mail/received.h"

/* Converts a date, which may have an obsolete zone, to milliseconds since 1970; false when the date
 * is invalid. */
bool eds_date_parse(const char *text, int64_t *wall_ms);

#endif
