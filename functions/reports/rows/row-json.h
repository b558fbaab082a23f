/* The rows of a DMARC report, as the API shows them:
 *
 *     {"source": "192.0.2.1", "disposition": "none", "dkim": "pass", "spf": "fail", "messages": 3,
 *      "class": "passed", "headerFrom": "example.com", "envelopeFrom": null, "envelopeTo": null,
 *      "reasons": [{"type": "mailing_list", "comment": null}],
 *      "dkimResults": [{"domain": "example.com", "selector": "s1", "result": "pass",
 *      "humanResult": null}], "spfResults": [{"domain": …, "scope": "mfrom", …}], "leftOut": 0}
 *
 * In the stored form, members that many rows share are stored once in auths, and the last element
 * of each row is an index into auths:
 *
 *     "auths": [["example.com",null,null,[["mailing_list",null]],[[…]],[[…]],0], …],
 *     "rows": [["192.0.2.1","none","pass","fail",3,"passed",0], …]
 *
 * Rows stored by releases without auths have only the first five elements.
 */
#ifndef EDS_REPORTS_ROW_JSON_H
#define EDS_REPORTS_ROW_JSON_H

#include "functions/lib/reports/report.h"
#include "runtime/buffer.h"
#include "runtime/json.h"

/* Writes ,"auths":[…],"rows":[…] in the stored form. */
void report_put_rows(struct rt_buffer *out, const struct eds_report *report);

/* Replaces the members auths and rows of a stored report by rows in the form that the API shows. */
void report_show_rows(json_t *report);

#endif
