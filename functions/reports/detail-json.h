/* What a report says, as the API shows it:
 *
 *     {"file": "example.net!example.com!1764547200!1764633600.xml", "bytes": 2048,
 *      "repaired": false, "policy": {"p": "none", "sp": null, …}, "rows": [{"source": "192.0.2.1",
 *      "disposition": "none", "dkim": "pass", "spf": "fail", "messages": 3}], "otherMessages": 0,
 *      "policies": [], "failures": []}
 *
 * and as its line of the log keeps it, since a report may have thousands of rows: the same with
 * each row as ["192.0.2.1","none","pass","fail",3].
 *
 * policy and rows are of a DMARC report, policies and failures of a TLS report.
 */
#ifndef EDS_REPORTS_DETAIL_JSON_H
#define EDS_REPORTS_DETAIL_JSON_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/domain.h"
#include "runtime/json.h"

/* Adds what stands before it and the text in quotes, null for "" and NULL: what a reporter did not
 * say. */
void report_put_text(struct rt_buffer *out, const char *before, const char *text);

/* The text that is kept; of a TLS report what is about the domain. */
const char *report_detail_text(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report);

/* That text as it is shown. RT_INTERNAL "report-damaged" when it is none. */
RT_MUST_USE rt_status report_detail_json(struct rt_ctx *ctx, const char *text, json_t **json);

#endif
