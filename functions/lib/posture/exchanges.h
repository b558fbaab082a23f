/* The items about the mail servers of a domain: MX, and the TLSA records of each server. */
#ifndef EDS_POSTURE_EXCHANGES_H
#define EDS_POSTURE_EXCHANGES_H

#include "functions/lib/posture/item.h"

/* Each function fills look->item, which must be empty, with the findings about its subject. */
void eds_look_mx(struct eds_look *look);
void eds_look_dane(struct eds_look *look);

#endif
