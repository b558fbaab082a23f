/* The rows of a DMARC report, as the API shows them:
 *
 *     {"source": "192.0.2.1", "disposition": "none", "dkim": "pass", "spf": "fail", "messages": 3,
 *      "class": "passed", "headerFrom": "example.com", "envelopeFrom": null, "envelopeTo": null,
 *      "reasons": [{"type": "mailing_list", "comment": null}],
 *      "dkimResults": [{"domain": "example.com", "selector": "s1", "result": "pass",
 *      "humanResult": null}], "spfResults": [{"domain": …, "scope": "mfrom", …}], "leftOut": 0}
 *
 * and as the store keeps them: members that many rows share are stored once in auths, and each row
 * has an index into it,
 *
 *     "auths": [["example.com",null,null,[["mailing_list",null]],[[…]],[[…]],0], …],
 *     "rows": [["192.0.2.1","none","pass","fail",3,"passed",0], …]
 *
 * Rows of releases that did not store auths have the first five columns.
 */
#ifndef EDS_REPORTS_ROW_JSON_H
#define EDS_REPORTS_ROW_JSON_H

#include "functions/lib/reports/report.h"
#include "runtime/buffer.h"
#include "runtime/json.h"

/* ,"auths":[…],"rows":[…] */
void report_put_rows(struct rt_buffer *out, const struct eds_report *report);

/* Replaces both members by the rows as they are shown. */
void report_show_rows(json_t *report);

#endif
