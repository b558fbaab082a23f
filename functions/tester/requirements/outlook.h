/* What receivers will do with the message, in one word for the dashboard and the API. The score and
 * the verdict are separate results, made from the points of the scoring rules.
 *
 *     {"state": "refused", "reasons": [{"code": "spf-or-dkim", "message": "Gmail and Yahoo …"}]}
 */
#ifndef TESTER_OUTLOOK_H
#define TESTER_OUTLOOK_H

#include "functions/lib/finding.h"

struct analysis;

/* The advice when the address of the sending server is unknown or not public. */
#define CLIENT_WAY_OUT                                                                             \
	"Send the message from the server that sends your outgoing mail, "                         \
	"directly to the test address."

enum outlook_state {
	OUTLOOK_GOOD,
	OUTLOOK_AT_RISK,
	OUTLOOK_UNDECIDED, /* something decisive could not be judged */
	/* a large provider refuses such mail from any sender, or the domain's own policy asks
	 * receivers to refuse it */
	OUTLOOK_REFUSED,
};

struct outlook {
	enum outlook_state state;
	struct eds_findings refused;
	struct eds_findings undecided;
	struct eds_findings at_risk;
};

/* Fills *outlook from the analysis, whose requirements and score must be set. */
void outlook_judge(struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook);

/* The state and its reasons: refusals first, then undecided ones, then risks. */
json_t *outlook_json(struct rt_ctx *ctx, const struct outlook *outlook);

#endif
