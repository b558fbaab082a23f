/* The DMARC item of a domain (RFC 9989), with the consent of the report receivers that its record
 * names. */
#ifndef EDS_POSTURE_DMARC_H
#define EDS_POSTURE_DMARC_H

#include "functions/lib/posture/item.h"

/* Fills look->item, which must be empty, with the findings about DMARC. */
void eds_look_dmarc(struct eds_look *look);

#endif
