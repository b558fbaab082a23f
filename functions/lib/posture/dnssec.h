/* The DNSSEC item of a domain: whether its zone and those of its mail servers are signed (RFC 4033
 * to 4035). This service validates the signatures itself. */
#ifndef EDS_POSTURE_DNSSEC_H
#define EDS_POSTURE_DNSSEC_H

#include "functions/lib/posture/item.h"

/* Fills look->item, which must be empty, with the findings about DNSSEC. */
void eds_look_dnssec(struct eds_look *look);

/* True when this service can validate DNSSEC, or while it is not known yet whether it can. */
bool eds_look_validates(const struct eds_look *look);

/* Takes the reason out of the library's message, without the address of our resolver: "signature
 * expired" out of "validation failure <example.com. SOA IN>: signature expired from 192.0.2.53 for
 * key example.com." */
const char *eds_look_bogus_reason(struct rt_ctx *ctx, const char *why);

#endif
