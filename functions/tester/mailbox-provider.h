/* Domains whose addresses anybody can get: only their provider can sign their mail and change their
 * DNS records. */
#ifndef TESTER_MAILBOX_PROVIDER_H
#define TESTER_MAILBOX_PROVIDER_H

#include <stdbool.h>

/* True if the domain, in lower case, is that of a mailbox provider. */
bool is_mailbox_provider(const char *domain);

#endif
