/* DMARC of a domain (RFC 9989), and whether those whom its record names take its reports. */
#ifndef EDS_POSTURE_DMARC_H
#define EDS_POSTURE_DMARC_H

#include "functions/lib/posture/item.h"

/* One subject each; the item is empty before. */
void eds_look_dmarc(struct eds_look *look);

#endif
