/* What makes senders insist on TLS, and tell of failures: the records of MTA-STS (RFC 8461) and
 * TLS-RPT (RFC 8460). The policy itself is fetched by the check of MTA-STS (functions/lib/mta-sts).
 */
#ifndef EDS_POSTURE_TRANSPORT_H
#define EDS_POSTURE_TRANSPORT_H

#include "functions/lib/posture/item.h"

/* One subject each; the item is empty before. */
void eds_look_mta_sts(struct eds_look *look);
void eds_look_tls_rpt(struct eds_look *look);

#endif
