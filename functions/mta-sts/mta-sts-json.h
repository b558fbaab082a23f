/* An MTA-STS configuration as the API shows it:
 *
 *     {"enabled": true, "mode": "testing", "maxAge": 604800, "mxPatterns": ["*.example.net"],
 *      "hosted": true, "policyId": "20260131235959k3f7q2m9xw4dz5ab",
 *      "policyContent": "version: STSv1\nmode: testing\n…",
 *      "policyUrl": "https://mta-sts.example.com/.well-known/mta-sts.txt",
 *      "updatedAt": "2026-01-31T23:59:59Z",
 *      "expectedRecords": [{"purpose": "mta-sts-policy-host", "name": "mta-sts.example.com",
 *                           "type": "CNAME", "value": "policy.example.org."},
 *                          {"purpose": "mta-sts-policy-id", "name": "_mta-sts.example.com",
 *                           "type": "TXT", "value": "v=STSv1; id=20260131235959k3f7q2m9xw4dz5ab"}],
 *      "observed": {"dnsId": null, "policyFetched": false, "policyMode": null, "valid": false,
 *                   "errors": [{"code", "message"}], "checkedAt": "2026-01-31T23:59:59Z",
 *                   "policyIdInSync": false},
 *      "advice": {"readyToEnforce": false, "state": "not-ready", "items": […]},
 *      "reports": {"days": 30, "count": 12, "successful": 3400, "failed": 3,
 *                  "failures": [{"type": "certificate-expired", "sessions": 3}]}}
 *
 * observed is null until the first check. advice: advice.h. reports: count is the number of TLS
 * reports of the last 30 days; successful, failed and sessions are numbers of TLS sessions.
 */
#ifndef EDS_MTA_STS_JSON_H
#define EDS_MTA_STS_JSON_H

#include "functions/lib/store/mta-sts/mta-sts.h"
#include "runtime/event/event.h"

/* Answers 200 with the configuration. RT_INTERNAL when the stored outcome of a check is not JSON;
 * RT_TEMPORARY "store-unavailable". */
RT_MUST_USE rt_status mta_sts_respond(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts *config, struct rt_response *res);

/* The ETag of the settings that a PATCH can change. Checks and reports are not part of it: they
 * change every hour and would make If-Match fail. */
const char *mta_sts_version(struct rt_ctx *ctx, const struct eds_mta_sts *config);

#endif
