/* The SPF item of a domain (RFC 7208). */
#ifndef EDS_POSTURE_SENDER_H
#define EDS_POSTURE_SENDER_H

#include "functions/lib/posture/item.h"

/* Fills the item of its subject, which is empty before. */
void eds_look_spf(struct eds_look *look);

#endif
