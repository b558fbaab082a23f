/* The SPF item of a domain (RFC 7208). */
#ifndef EDS_POSTURE_SENDER_H
#define EDS_POSTURE_SENDER_H

#include "functions/lib/posture/item.h"

/* Fills look->item, which must be empty, with the findings about SPF. */
void eds_look_spf(struct eds_look *look);

#endif
