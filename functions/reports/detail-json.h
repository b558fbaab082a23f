/* What a report says, as the API shows it in its report:
 *
 *     {"file": "example.net!example.com!1764547200!1764633600.xml", "bytes": 2048,
 *      "repaired": false, "version": "1.0", "generator": null, "extraContact": null, "errors": [],
 *      "policy": {"p": "none", "sp": null, …}, "rows": [{…}], "otherMessages": 0,
 *      "policies": [], "failures": []}
 *
 * and as the store keeps it, once for all logs that have it: the same with its rows as row-json.h
 * says, the index of its policy in each failure, and
 * "signatures": [["example.com","s1",PASSED,FAILED], …], which a log shows as its selectors with
 * what became of each there.
 *
 * policy, rows and signatures are of a DMARC report, policies and failures of a TLS report, which
 * may be about several domains: a log shows those about its own.
 */
#ifndef EDS_REPORTS_DETAIL_JSON_H
#define EDS_REPORTS_DETAIL_JSON_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report.h"
#include "runtime/json.h"

/* Adds what stands before it and the text in quotes, null for "" and NULL: what a reporter did not
 * say. */
void report_put_text(struct rt_buffer *out, const char *before, const char *text);

/* How many of its signatures are kept. */
size_t report_signatures_kept(const struct eds_report *report);

/* The text that is kept. */
const char *report_body_text(struct rt_ctx *ctx, const struct eds_report *report);

/* What a line of the domain's log shows as report and selectors. RT_INTERNAL "report-damaged" when
 * what is kept cannot be read. */
RT_MUST_USE rt_status report_detail_json(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report_line *line, json_t **report, json_t **selectors);

#endif
