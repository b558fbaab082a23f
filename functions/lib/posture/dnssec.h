/* The DNSSEC item of a domain and its mail servers (RFC 4033 to 4035), by our own validation. */
#ifndef EDS_POSTURE_DNSSEC_H
#define EDS_POSTURE_DNSSEC_H

#include "functions/lib/posture/item.h"

/* Fills the item of its subject, which is empty before. */
void eds_look_dnssec(struct eds_look *look);

/* True when DNSSEC of this domain can be validated here, or while that is not known yet. */
bool eds_look_validates(const struct eds_look *look);

/* "signature expired" of "validation failure <example.com. SOA IN>: signature expired from
 * 192.0.2.53 for key example.com.": hides the address of our resolver. */
const char *eds_look_bogus_reason(struct rt_ctx *ctx, const char *why);

#endif
