/* Reports as the API shows them:
 *
 *     {"id": "0193…", "kind": "dmarc", "state": "read", "receivedAt": "2026-01-31T23:59:59Z",
 *      "mailFrom": "noreply@example.net", "organization": "example.net", "contact": "…",
 *      "externalId": "1764547200", "policyDomain": "example.com",
 *      "period": {"begin": "2026-01-30T00:00:00Z", "end": "2026-01-30T23:59:59Z"}, "records": 2,
 *      "total": 10, "passed": 7, "failed": 3,
 *      "discovered": [{"domain": "example.com", "selector": "s1"}], "reason": null}   (in the list)
 *     {…, "selectors": [{"domain", "selector", "outcome", "passCount", "failCount"}],
 *      "report": {…}}                                                                (alone)
 *
 * total, passed and failed are messages of a DMARC report (passed: DKIM or SPF, aligned), sessions
 * of a TLS report. reason {code, message} says why it is not "read"; report (detail-json.h) is null
 * then. Written as text: what is stored of a report is JSON already, and lists are long.
 */
#ifndef EDS_REPORTS_REPORT_JSON_H
#define EDS_REPORTS_REPORT_JSON_H

#include "functions/lib/store/report.h"
#include "runtime/buffer.h"

/* report_write_whole: RT_INTERNAL "report-damaged". */
void report_write_entry(struct rt_buffer *out, const struct eds_report_line *line);
RT_MUST_USE rt_status report_write_whole(struct rt_buffer *out, const struct eds_report_line *line);

#endif
