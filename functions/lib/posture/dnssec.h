/* DNSSEC of the domain and of its mail servers (RFC 4033 to 4035), as validated here. */
#ifndef EDS_POSTURE_DNSSEC_H
#define EDS_POSTURE_DNSSEC_H

#include "functions/lib/posture/item.h"

/* One subject each; the item is empty before. */
void eds_look_dnssec(struct eds_look *look);

/* Whether DNSSEC of this domain can be validated here; true while that is not known yet. */
bool eds_look_validates(const struct eds_look *look);

/* "signature expired" of "validation failure <example.com. SOA IN>: signature expired from
 * 192.0.2.53 for key example.com.": our resolver's address is nobody's business. */
const char *eds_look_bogus_reason(struct rt_ctx *ctx, const char *why);

#endif
