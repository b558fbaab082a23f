/* The differences between the results of two tests: of a message before and after a change, or of
 * two senders.
 *
 *     {"before": {testId, receivedAt, subject, spamScore, verdict, outlook}, "after": {…},
 *      "scoreChange": -2.1,
 *      "rules": [{"rule": "PTR_MISSING", "before": 2, "after": null}],
 *      "measured": [{"name": "ptr.state", "before": "missing", "after": "valid"}],
 *      "requirements": [{provider, requirement, scope, before: "missed", after: "met"}],
 *      "advice": {"resolved": [{code, severity, message}], "added": [], "remaining": 2}}
 *
 * The lists contain only differences. A value that one of the two results lacks is null, for
 * example the points of a rule that did not apply, or a value that an older version of eds did not
 * store.
 */
#ifndef EDS_TESTER_COMPARISON_H
#define EDS_TESTER_COMPARISON_H

#include "functions/lib/store/store.h"
#include "runtime/json.h"

/* Compares the results of two completed sessions. RT_INTERNAL "result-invalid" when a stored result
 * cannot be read. */
RT_MUST_USE rt_status comparison_json(struct rt_ctx *ctx, const struct eds_session *before,
	const struct eds_session *after, json_t **comparison);

#endif
