/* The names in a DKIM-Signature field: d=, s= and i= (RFC 6376 section 3.5). */
#ifndef EDS_DKIM_SIGNATURE_DOMAIN_H
#define EDS_DKIM_SIGNATURE_DOMAIN_H

#include "functions/lib/dkim/tags.h"

/* Sets *name to the value of the tag in lower case; false (and *name stays unchanged) when the
 * value is not a valid name. Accepts letters, digits, hyphens and underscores, which DNS resolves,
 * but not U-labels (RFC 8616). */
bool eds_signature_domain(struct rt_ctx *ctx, const struct eds_tag *tag, const char **name);

/* The name of the key, "s1._domainkey.example.com"; "" when it would be too long. */
const char *eds_signature_key_name(struct rt_ctx *ctx, const char *selector, const char *domain);

/* i= with its dkim-quoted-printable (section 2.11) decoded; an unprintable octet becomes a question
 * mark. */
char *eds_signature_identity(struct rt_ctx *ctx, const struct eds_tag *tag);

#endif
