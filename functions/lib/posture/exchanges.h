/* The mail servers of a domain: MX, and the TLSA records of each. */
#ifndef EDS_POSTURE_EXCHANGES_H
#define EDS_POSTURE_EXCHANGES_H

#include "functions/lib/posture/item.h"

/* One subject each; the item is empty before. */
void eds_look_mx(struct eds_look *look);
void eds_look_dane(struct eds_look *look);

#endif
