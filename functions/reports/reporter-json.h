/* A reporter as the API shows it:
 *
 *     {"domain": "example.net", "standing": "unverified", "decision": null,
 *      "firstSeenAt": "2026-01-30T00:00:00Z", "lastSeenAt": "…", "verifiedAt": null,
 *      "verifiedReports": 0, "otherReports": 3}
 *
 * standing is the owner's decision ("accepted", "blocked"). Without a decision it is "verified" if
 * any mail of the reporter proved its sender, else "unverified". otherReports is the number of
 * reports that proved nothing about their sender: in other mails, posted over HTTPS, or uploaded.
 */
#ifndef EDS_REPORTS_REPORTER_JSON_H
#define EDS_REPORTS_REPORTER_JSON_H

#include <jansson.h>

#include "functions/lib/store/reports/reporter.h"

json_t *reporter_json(struct rt_ctx *ctx, const struct eds_reporter *reporter);

#endif
