/* What a report says, as its line of the log keeps it and the API shows it:
 *
 *     {"file": "example.net!example.com!1764547200!1764633600.xml", "bytes": 2048,
 *      "repaired": false, "policy": {"p": "none", "sp": null, …}, "rows": [{"source": "192.0.2.1",
 *      "disposition": "none", "dkim": "pass", "spf": "fail", "messages": 3}], "otherMessages": 0,
 *      "policies": [], "failures": []}
 *
 * policy and rows are of a DMARC report, policies and failures of a TLS report.
 */
#ifndef EDS_REPORTS_DETAIL_JSON_H
#define EDS_REPORTS_DETAIL_JSON_H

#include "functions/lib/reports/report.h"
#include "functions/lib/store/domain.h"

/* Compact text. Of a TLS report what is about the domain. */
const char *report_detail_json(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report);

#endif
