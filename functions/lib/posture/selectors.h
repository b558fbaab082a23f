/* Finds DKIM selectors under the names that the domain's providers use: the providers of its mail
 * servers and of the domains that its SPF record includes. For mail servers within the domain it
 * tries names that self-hosted software uses. DNS cannot list selectors, but it answers for a known
 * name. */
#ifndef EDS_POSTURE_SELECTORS_H
#define EDS_POSTURE_SELECTORS_H

#include "functions/lib/posture/item.h"

/* To be called after all subjects have been examined. If DNS gives no answer for a selector, that
 * selector is not found, and posture->selectors_open is set. */
void eds_look_selectors(struct eds_look *look, struct eds_posture *posture);

#endif
