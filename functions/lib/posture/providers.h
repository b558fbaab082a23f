/* The selectors that a mail provider uses for all its customers, like "google" or "selector1". Many
 * providers give each customer a selector of its own.
 */
#ifndef EDS_POSTURE_PROVIDERS_H
#define EDS_POSTURE_PROVIDERS_H

/* host: the name of a mail server, or a domain that an SPF record includes, in lower case; it
 * identifies the provider. Returns the selectors separated by spaces; NULL for an unknown
 * provider. */
const char *eds_provider_selectors(const char *host);

#endif
