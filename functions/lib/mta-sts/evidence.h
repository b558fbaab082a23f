/* Formats and reads, as JSON, those results of a check that the API does not show as fields of
 * their own. The database stores this JSON, from which the advice about the domain is made:
 *
 *     {"alias": "right", "aliasTarget": "policy.example.org", "maxAge": 604800,
 *      "tlsrpt": "present", "mxState": "found",
 *      "mx": [{"host": "mx1.example.net", "starttls": "yes", "reason": "", "checkedAt": 17…}],
 *      "warnings": [{"code": "policy-blank-line", "message": "…"}]}
 */
#ifndef EDS_MTA_STS_EVIDENCE_H
#define EDS_MTA_STS_EVIDENCE_H

#include "functions/lib/mta-sts/seen.h"

/* Returns the text in ctx's memory; JSON is made in the memory that RT_JSON_MEMORY() has chosen. */
const char *eds_mta_sts_evidence_format(struct rt_ctx *ctx, const struct eds_mta_sts_seen *seen);

/* Reads the text into an empty `seen`. Members that are missing or invalid stay unknown. Fails with
 * RT_BAD_INPUT "json-invalid" when the text is not JSON. */
RT_MUST_USE rt_status eds_mta_sts_evidence_read(
	struct rt_ctx *ctx, const char *text, struct eds_mta_sts_seen *seen);

#endif
