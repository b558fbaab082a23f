/* The names within a DKIM-Signature field: d=, s= and i= (RFC 6376 section 3.5). */
#ifndef EDS_DKIM_SIGNATURE_DOMAIN_H
#define EDS_DKIM_SIGNATURE_DOMAIN_H

#include "functions/lib/dkim/tags.h"

/* The value as a name in lower case; false (and *name stays) when it can be none. Letters, digits,
 * hyphens and underscores: what resolves. U-labels (RFC 8616) are not taken. */
bool eds_signature_domain(struct rt_ctx *ctx, const struct eds_tag *tag, const char **name);

/* "s1._domainkey.example.com", "" when that is longer than a name can be. */
const char *eds_signature_key_name(struct rt_ctx *ctx, const char *selector, const char *domain);

/* i= with its dkim-quoted-printable (section 2.11) decoded; an octet that cannot be shown is a
 * question mark. */
char *eds_signature_identity(struct rt_ctx *ctx, const struct eds_tag *tag);

/* name is domain or below it. */
bool eds_domain_covers(const char *domain, const char *name);

#endif
