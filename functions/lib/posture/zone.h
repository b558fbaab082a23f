/* The zone item of a domain: whether it exists, its name servers (name-servers.h), and wildcards
 * that answer for unused names. When no question is answered, the item says whether the domain's
 * name servers fail, or our resolver fails for every name. */
#ifndef EDS_POSTURE_ZONE_H
#define EDS_POSTURE_ZONE_H

#include "functions/lib/posture/item.h"

/* Fills look->item, which must be empty, with the findings about the zone. */
void eds_look_zone(struct eds_look *look);

#endif
