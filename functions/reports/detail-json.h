/* The contents of a report, as the API shows them in its member report:
 *
 *     {"file": "example.net!example.com!1764547200!1764633600.xml", "bytes": 2048,
 *      "repaired": false, "version": "1.0", "generator": null, "extraContact": null, "errors": [],
 *      "policy": {"p": "none", "sp": null, …}, "rows": [{…}], "otherMessages": 0,
 *      "policies": [], "failures": []}
 *
 * and as the store keeps them, once for all logs that have the report: the same with rows in the
 * stored form of row-json.h, the index of its policy in each failure, and "signatures":
 * [["example.com","s1",PASSED,FAILED], …]. A log shows the signatures as selectors with the outcome
 * of each in that log.
 *
 * policy, rows and signatures belong to a DMARC report, policies and failures to a TLS report. A
 * TLS report may be about several domains: a log only shows the policies about its own.
 */
#ifndef EDS_REPORTS_DETAIL_JSON_H
#define EDS_REPORTS_DETAIL_JSON_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report.h"
#include "runtime/json.h"

/* Adds before, then the text in quotes; null for "" and NULL, which mean that the reporter did not
 * give it. */
void report_put_text(struct rt_buffer *out, const char *before, const char *text);

/* How many signatures of the report are stored. */
size_t report_signatures_kept(const struct eds_report *report);

/* The text to be stored. */
const char *report_body_text(struct rt_ctx *ctx, const struct eds_report *report);

/* The members report and selectors of a line of the domain's log. RT_INTERNAL "report-damaged" when
 * the stored text cannot be read. */
RT_MUST_USE rt_status report_detail_json(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report_line *line, json_t **report, json_t **selectors);

#endif
