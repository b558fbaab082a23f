/* Domain names as eds stores and shows them: in lower case as A-labels, or in Unicode for
 * people. */
#ifndef EDS_MAIL_DOMAIN_H
#define EDS_MAIL_DOMAIN_H

#include "functions/lib/mail/from.h"

/* Converts an untrusted domain name from U-labels or A-labels to lower-case A-labels without a
 * final dot (libidn2). NULL when the name cannot be the name of a host or mail domain. In such a
 * name, each label has 1 to 63 letters, digits, hyphens and underscores, with no hyphen at its
 * ends; the name has at most 253 octets, and its last label is not a number (an IPv4 address ends
 * with one). */
char *eds_domain_normalize(struct rt_ctx *ctx, const char *name, size_t length);

/* Converts a normalized name to U-labels; returns the name unchanged when an A-label cannot be
 * decoded. */
char *eds_domain_unicode(struct rt_ctx *ctx, const char *name);

/* Converts a part of a name, as a user types it into a search, to the form that it has in U-labels:
 * lower case and composed (NFC). In text that cannot be part of a label, only the ASCII letters are
 * converted to lower case. */
char *eds_domain_part_unicode(struct rt_ctx *ctx, const char *part);

/* The normalized domain after the last @ of an envelope address; NULL when the address is "" or has
 * no valid domain. */
char *eds_address_domain(struct rt_ctx *ctx, const char *address);

#endif
