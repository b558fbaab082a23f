/* What will become of the message, in one word for page and API. The score and the verdict stand
 * beside it: they count rules, this says what receivers do.
 *
 *     {"state": "refused", "reasons": [{"code": "spf-or-dkim", "message": "Gmail and Yahoo …"}]}
 */
#ifndef TESTER_OUTLOOK_H
#define TESTER_OUTLOOK_H

#include "functions/lib/finding.h"

struct analysis;

/* What to do about a message whose sending server was not seen. */
#define CLIENT_WAY_OUT                                                                              \
	"Send the message from the server that sends your mail to the world, straight to the test " \
	"address."

enum outlook_state {
	OUTLOOK_GOOD,
	OUTLOOK_AT_RISK,
	OUTLOOK_UNDECIDED, /* what decides could not be judged */
	OUTLOOK_REFUSED,   /* by a large provider from everybody, or by the domain's own policy */
};

struct outlook {
	enum outlook_state state;
	struct eds_findings refused;
	struct eds_findings undecided;
	struct eds_findings at_risk;
};

/* Needs the requirements and the score. */
void outlook_judge(struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook);

/* state, and the reasons for it: what refuses first, then what is undecided, then what is a risk.
 */
json_t *outlook_json(struct rt_ctx *ctx, const struct outlook *outlook);

#endif
