/* SPF of a domain (RFC 7208). */
#ifndef EDS_POSTURE_SENDER_H
#define EDS_POSTURE_SENDER_H

#include "functions/lib/posture/item.h"

/* One subject each; the item is empty before. */
void eds_look_spf(struct eds_look *look);

#endif
