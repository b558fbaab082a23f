/* The two records that bring a domain's reports here, as they are to be published beside what is:
 *
 *     {"purpose": "dmarc-reports", "name": "_dmarc.example.com", "type": "TXT", "change": "change",
 *      "value": "v=DMARC1; p=reject; rua=mailto:d@example.com,mailto:0190…@reports.example.net",
 *      "old": "v=DMARC1; p=reject; rua=mailto:d@example.com"}
 */
#ifndef EDS_POSTURE_REPORT_RECORDS_H
#define EDS_POSTURE_REPORT_RECORDS_H

#include "functions/lib/posture/posture.h"

/* Of a look with a report address. change: "add", "change", or "ok" when reports come already. One
 * is left out while it is not certain: DNS gave no answer, or what is published cannot be read. */
json_t *eds_posture_report_records(struct rt_ctx *ctx, const struct eds_posture *posture);

/* The subject whose record the one of this index is, and its purpose. */
enum { EDS_POSTURE_REPORT_RECORDS = 2 };
enum eds_posture_subject eds_posture_report_subject(size_t index, const char **purpose);

#endif
