/* The scoring rules of the deliverability tester, their sum and the verdict.
 *
 * Scores are counted in tenths, so that sums are exact: -0.2 is -2.
 */
#ifndef TESTER_RULES_H
#define TESTER_RULES_H

#include "runtime/json.h"

enum tester_rule {
	SPF_PASS,
	SPF_SOFTFAIL,
	SPF_FAIL,
	SPF_PERMERROR,
	SPF_TEMPERROR,
	DKIM_VALID,
	DKIM_INVALID,
	DMARC_PASS,
	DMARC_FAIL_REJECT,
	DMARC_FAIL_QUARANTINE,
	DMARC_FAIL_NONE,
	PTR_MISSING,
	PTR_MISMATCH,
	PTR_VALID,
	MX_NONE,
	MX_INVALID,
	BLOCKLIST_COMBINED,
	BLOCKLIST_RELAY,
	BLOCKLIST_REPUTATION,
	BLOCKLIST_REPORTED,
	MISSING_MID,
	MISSING_DATE,
	DATE_IN_FUTURE,
	TESTER_RULES,
	TESTER_NO_RULE = TESTER_RULES
};

enum {
	TESTER_APPLIED_MAX = 32, /* DKIM_VALID may apply ten times, every other rule once */
};

struct tester_score {
	enum tester_rule applied[TESTER_APPLIED_MAX];
	size_t count;
};

/* Adds the rule to the score. A rule past TESTER_APPLIED_MAX is dropped. */
void tester_rule_apply(struct tester_score *score, enum tester_rule rule);

const char *tester_rule_name(enum tester_rule rule); /* name of the rule: "SPF_PASS", … */
int tester_rule_tenths(enum tester_rule rule);       /* points of the rule, in tenths */

/* The sum of the points of all applied rules, in tenths. */
int tester_score_tenths(const struct tester_score *score);

/* Verdicts by score: ham below 3.0, probable_spam below 6.0, spam below 10.0, high_spam from 10.0.
 * A boundary belongs to the range above it. */
enum tester_verdict {
	TESTER_HAM,
	TESTER_PROBABLE_SPAM,
	TESTER_SPAM,
	TESTER_HIGH_SPAM,
};

enum tester_verdict tester_verdict(int tenths);
const char *tester_verdict_name(enum tester_verdict verdict);

/* The applied rules as JSON, in the order in which they were applied: [{"rule": "SPF_PASS",
 * "score": -0.2}, …]. */
json_t *tester_breakdown_json(struct rt_ctx *ctx, const struct tester_score *score);
/* The points as a JSON number. */
json_t *tester_tenths_json(int tenths);

#endif
