/* The records that make senders require TLS and report failures: MTA-STS (RFC 8461) and TLS-RPT
 * (RFC 8460). The policy is fetched elsewhere, by the check of MTA-STS (functions/lib/mta-sts).
 */
#ifndef EDS_POSTURE_TRANSPORT_H
#define EDS_POSTURE_TRANSPORT_H

#include "functions/lib/posture/item.h"

/* Each function fills look->item, which must be empty, with the findings about its subject. */
void eds_look_mta_sts(struct eds_look *look);
void eds_look_tls_rpt(struct eds_look *look);

#endif
