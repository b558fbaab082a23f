/* DKIM selectors under the names that the domain's providers use: those of its mail servers, and
 * those that its SPF record includes. A selector cannot be listed in DNS, but it can be asked for.
 */
#ifndef EDS_POSTURE_SELECTORS_H
#define EDS_POSTURE_SELECTORS_H

#include "functions/lib/posture/item.h"

/* When the subjects have been looked at. */
void eds_look_selectors(struct eds_look *look, struct eds_posture *posture);

#endif
