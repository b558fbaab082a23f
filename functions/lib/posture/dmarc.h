/* The DMARC item of a domain (RFC 9989). It also tells whether the report receivers that the record
 * names consent. */
#ifndef EDS_POSTURE_DMARC_H
#define EDS_POSTURE_DMARC_H

#include "functions/lib/posture/item.h"

/* Fills look->item, which must be empty, with the findings about DMARC. */
void eds_look_dmarc(struct eds_look *look);

#endif
