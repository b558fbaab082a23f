/* The two records that direct a domain's reports to this service, as changes to the records that
 * are published:
 *
 *     {"purpose": "dmarc-reports", "name": "_dmarc.example.com", "type": "TXT", "change": "change",
 *      "value": "v=DMARC1; p=reject; rua=mailto:d@example.com,mailto:0190…@reports.example.net",
 *      "old": "v=DMARC1; p=reject; rua=mailto:d@example.com"}
 */
#ifndef EDS_POSTURE_REPORT_RECORDS_H
#define EDS_POSTURE_REPORT_RECORDS_H

#include "functions/lib/posture/posture.h"

/* Returns the records for a look whose question had a report address. "change" is "add", "change",
 * or "ok" when reports already arrive. A record is left out when DNS gave no answer, when the
 * published record cannot be parsed or changed, and for TLS reports when the domain has a null
 * MX. */
json_t *eds_posture_report_records(struct rt_ctx *ctx, const struct eds_posture *posture);

/* Returns the subject of the record with this index (0 or 1), and sets *purpose to its
 * "purpose". */
enum { EDS_POSTURE_REPORT_RECORDS = 2 };
enum eds_posture_subject eds_posture_report_subject(size_t index, const char **purpose);

#endif
