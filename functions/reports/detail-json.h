/* The contents of a report, as the API shows them in the member `report`:
 *
 *     {"file": "example.net!example.com!1764547200!1764633600.xml", "bytes": 2048,
 *      "repaired": false, "version": "1.0", "generator": null, "extraContact": null, "errors": [],
 *      "policy": {"p": "none", "sp": null, …}, "rows": [{…}], "otherMessages": 0,
 *      "policies": [], "failures": []}
 *
 * The store has these contents once for all logs that have the report. In the stored form, the rows
 * have the form of row-json.h, each failure has the index of its policy, and there is a member
 * "signatures": [["example.com","s1",PASSED,FAILED], …]. The API shows the signatures as selectors,
 * each with its outcome in the log of the domain.
 *
 * policy, rows and signatures belong to a DMARC report, policies and failures to a TLS report. A
 * TLS report may be about several domains: a log only shows the policies about its own domain.
 */
#ifndef EDS_REPORTS_DETAIL_JSON_H
#define EDS_REPORTS_DETAIL_JSON_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report.h"
#include "runtime/json.h"

/* Adds `before`, then the text in quotes; null instead of "" and NULL, which mean that the reporter
 * did not give the text. */
void report_put_text(struct rt_buffer *out, const char *before, const char *text);

/* The number of the report's signatures that are stored; further signatures are left out. */
size_t report_signatures_kept(const struct eds_report *report);

/* The stored form of the report, as JSON text. */
const char *report_body_text(struct rt_ctx *ctx, const struct eds_report *report);

/* Makes the members "report" and "selectors" for a line of the domain's log. RT_INTERNAL
 * "report-damaged" when the stored text cannot be read. */
RT_MUST_USE rt_status report_detail_json(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report_line *line, json_t **report, json_t **selectors);

#endif
