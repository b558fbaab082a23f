/* The DMARC item of a domain (RFC 9989). It also says whether the domains to which the record sends
 * reports agree to receive them. */
#ifndef EDS_POSTURE_DMARC_H
#define EDS_POSTURE_DMARC_H

#include "functions/lib/posture/item.h"

/* Fills look->item, which must be empty, with the findings about DMARC. */
void eds_look_dmarc(struct eds_look *look);

#endif
