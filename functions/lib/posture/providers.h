/* The names under which providers of mail publish the DKIM keys of their customers, as far as these
 * are the same for all: "google", "selector1". Many give each customer a name of his own.
 */
#ifndef EDS_POSTURE_PROVIDERS_H
#define EDS_POSTURE_PROVIDERS_H

/* The provider is that of a mail server's name, or of a domain that an SPF record includes, in
 * lower case. Names with a space between; NULL for a provider that is not known. */
const char *eds_provider_selectors(const char *host);

#endif
