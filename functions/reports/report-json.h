/* Reports as the API shows them:
 *
 *     {"id": "0193…", "kind": "dmarc", "state": "read", "via": "mail",
 *      "receivedAt": "2026-01-31T23:59:59Z", "mailFrom": "noreply@example.net",
 *      "organization": "example.net", "contact": "…",
 *      "externalId": "1764547200", "policyDomain": "example.com",
 *      "period": {"begin": "2026-01-30T00:00:00Z", "end": "2026-01-30T23:59:59Z"}, "records": 2,
 *      "total": 10, "passed": 6, "forwarded": 1, "failed": 3,
 *      "discovered": [{"domain": "example.com", "selector": "s1"}], "reason": null,
 *      "reporter": {"domain": "example.net", "standing": "verified", "spf": "pass", "dkim": "pass",
 *      "dmarc": "pass"}, "counts": true}                                          (in the list)
 *     {…, "selectors": [{"domain", "selector", "outcome", "passCount", "failCount"}],
 *      "report": {…}}                                                                (alone)
 *
 * total is the sum of passed, forwarded and failed: messages of a DMARC report by the class of
 * their rows (report.h), or sessions of a TLS report. reporter is the sender. Its standing says
 * that the report was uploaded, what the owner decided about the sender, or whether the sender's
 * domain was proved. counts says whether sums and evidence include the report. reason {code,
 * message} says why the state is not "read", or what is wrong with a report that was read as far as
 * possible. report (detail-json.h) is null if the state is not "read". The JSON is written as text
 * and not built from json_t values, because the stored parts are JSON already, and lists are long.
 */
#ifndef EDS_REPORTS_REPORT_JSON_H
#define EDS_REPORTS_REPORT_JSON_H

#include "functions/lib/store/reports/report.h"
#include "runtime/buffer.h"

/* Write a report as an element of the list, and as the answer for a single report.
 * report_write_whole() fails with RT_INTERNAL "report-damaged". */
void report_write_entry(struct rt_buffer *out, const struct eds_report_line *line);
RT_MUST_USE rt_status report_write_whole(
	struct rt_buffer *out, const struct eds_domain *domain, const struct eds_report_line *line);

/* The standing of a reporter: "verified", "accepted", …; "unjudged" for lines from releases that
 * did not judge reporters. */
const char *report_standing_name(const struct eds_report_origin *origin);

#endif
