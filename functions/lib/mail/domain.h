/* Domain names as eds keeps and shows them: in lower case as A-labels, or in Unicode for people. */
#ifndef EDS_MAIL_DOMAIN_H
#define EDS_MAIL_DOMAIN_H

#include "functions/lib/mail/from.h"

/* A domain name as given by a stranger, U-labels or A-labels (libidn2), to lower-case A-labels
 * without a final dot; NULL when it is no host or mail domain name (labels 1 to 63, 253 in all,
 * letters, digits, hyphen, underscore). An address literal is none. */
char *eds_domain_normalize(struct rt_ctx *ctx, const char *name, size_t length);

/* The same name in U-labels; as it is where an A-label stands for none. */
char *eds_domain_unicode(struct rt_ctx *ctx, const char *name);

/* A part of a name, as somebody types it: as it would stand in U-labels, in lower case and
 * composed. What no label can be stays as it is but for the case of its ASCII letters. */
char *eds_domain_part_unicode(struct rt_ctx *ctx, const char *part);

/* The domain behind the last @ of an envelope address, normalised; NULL for "" or no domain. */
char *eds_address_domain(struct rt_ctx *ctx, const char *address);

#endif
