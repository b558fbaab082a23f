/* The zone item of a domain: whether it exists, its name servers, and wildcards that answer for
 * unused names. The look does not ask each name server by itself, so it notices a lame server only
 * when the resolver fails because of it. */
#ifndef EDS_POSTURE_ZONE_H
#define EDS_POSTURE_ZONE_H

#include "functions/lib/posture/item.h"

/* Fills the item of its subject, which is empty before. */
void eds_look_zone(struct eds_look *look);

#endif
