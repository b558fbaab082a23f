/* The reason that a resolver gives for a failure: an extended DNS error (RFC 8914), which is an
 * EDNS option in the reply. */
#ifndef EDS_DNS_EXTENDED_ERROR_H
#define EDS_DNS_EXTENDED_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when the reply (untrusted bytes) says that DNSSEC signatures do not validate. */
bool eds_dns_says_bogus(const uint8_t *bytes, size_t length);

#endif
