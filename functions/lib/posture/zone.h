/* The domain itself: whether it is there, its name servers, and wildcards that answer for names
 * which nobody has. The servers of a zone are not asked one by one, so that only what the resolver
 * cannot get over is seen of a lame one. */
#ifndef EDS_POSTURE_ZONE_H
#define EDS_POSTURE_ZONE_H

#include "functions/lib/posture/item.h"

/* One subject each; the item is empty before. */
void eds_look_zone(struct eds_look *look);

#endif
