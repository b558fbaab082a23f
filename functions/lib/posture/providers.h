/* The selectors that a mail provider uses for all its customers, like "google" or "selector1". Many
 * other providers give each customer a selector of its own, which cannot be listed here.
 */
#ifndef EDS_POSTURE_PROVIDERS_H
#define EDS_POSTURE_PROVIDERS_H

/* Returns the selectors of the provider that this host belongs to, separated by spaces; NULL for an
 * unknown provider. host: the name of a mail server, or a domain that an SPF record includes, in
 * lower case. */
const char *eds_provider_selectors(const char *host);

#endif
