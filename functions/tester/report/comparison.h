/* What is different between the results of two tests: of a message before a change and after it, or
 * of two senders.
 *
 *     {"before": {testId, receivedAt, subject, spamScore, verdict, outlook}, "after": {…},
 *      "scoreChange": -2.1,
 *      "rules": [{"rule": "PTR_MISSING", "before": 2, "after": null}],
 *      "measured": [{"name": "ptr.state", "before": "missing", "after": "valid"}],
 *      "requirements": [{provider, requirement, scope, before: "missed", after: "met"}],
 *      "advice": {"resolved": [{code, severity, message}], "added": [], "remaining": 2}}
 *
 * Only what differs stands in the lists. Results are stored as text, and may be an older version's:
 * what one of them does not have is null.
 */
#ifndef EDS_TESTER_COMPARISON_H
#define EDS_TESTER_COMPARISON_H

#include "functions/lib/store/store.h"
#include "runtime/json.h"

/* Both are completed. RT_INTERNAL "result-invalid" for a stored result that cannot be read. */
RT_MUST_USE rt_status comparison_json(struct rt_ctx *ctx, const struct eds_session *before,
	const struct eds_session *after, json_t **comparison);

#endif
