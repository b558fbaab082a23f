#include "functions/tester/rules.h"
#include "runtime/json-format.h"

static const struct {
	const char *name;
	int tenths;
} rules[TESTER_RULES] = {
	[SPF_PASS] = {"SPF_PASS", -2},
	[SPF_SOFTFAIL] = {"SPF_SOFTFAIL", 10},
	[SPF_FAIL] = {"SPF_FAIL", 60},
	[SPF_PERMERROR] = {"SPF_PERMERROR", 15},
	[SPF_TEMPERROR] = {"SPF_TEMPERROR", 10},
	[DKIM_VALID] = {"DKIM_VALID", -5},
	[DKIM_INVALID] = {"DKIM_INVALID", 60},
	[DMARC_PASS] = {"DMARC_PASS", -5},
	[DMARC_FAIL_REJECT] = {"DMARC_FAIL_REJECT", 20},
	[DMARC_FAIL_QUARANTINE] = {"DMARC_FAIL_QUARANTINE", 10},
	[DMARC_FAIL_NONE] = {"DMARC_FAIL_NONE", 5},
	[PTR_MISSING] = {"PTR_MISSING", 20},
	[PTR_MISMATCH] = {"PTR_MISMATCH", 15},
	[PTR_VALID] = {"PTR_VALID", -1},
	[MX_NONE] = {"MX_NONE", 20},
	[MX_INVALID] = {"MX_INVALID", 10},
	[BLOCKLIST_COMBINED] = {"BLOCKLIST_COMBINED", 80},
	[BLOCKLIST_RELAY] = {"BLOCKLIST_RELAY", 50},
	[BLOCKLIST_REPUTATION] = {"BLOCKLIST_REPUTATION", 50},
	[BLOCKLIST_REPORTED] = {"BLOCKLIST_REPORTED", 40},
	[MISSING_MID] = {"MISSING_MID", 10},
	[MISSING_DATE] = {"MISSING_DATE", 5},
	[DATE_IN_FUTURE] = {"DATE_IN_FUTURE", 20},
};

void tester_rule_apply(struct tester_score *score, enum tester_rule rule)
{
	if (score->count < TESTER_APPLIED_MAX)
		score->applied[score->count++] = rule;
}

const char *tester_rule_name(enum tester_rule rule)
{
	return rules[rule].name;
}

int tester_rule_tenths(enum tester_rule rule)
{
	return rules[rule].tenths;
}

int tester_score_tenths(const struct tester_score *score)
{
	int sum = 0;

	for (size_t i = 0; i < score->count; i++)
		sum += rules[score->applied[i]].tenths;
	return sum;
}

enum tester_verdict tester_verdict(int tenths)
{
	if (tenths < 30)
		return TESTER_HAM;
	if (tenths < 60)
		return TESTER_PROBABLE_SPAM;
	return tenths < 100 ? TESTER_SPAM : TESTER_HIGH_SPAM;
}

const char *tester_verdict_name(enum tester_verdict verdict)
{
	static const char *const names[] = {
		[TESTER_HAM] = "ham",
		[TESTER_PROBABLE_SPAM] = "probable_spam",
		[TESTER_SPAM] = "spam",
		[TESTER_HIGH_SPAM] = "high_spam",
	};

	return names[verdict];
}

json_t *tester_tenths_json(int tenths)
{
	return json_real(tenths / 10.0); /* never -0.0, since an integer 0 has no sign */
}

json_t *tester_breakdown_json(struct rt_ctx *ctx, const struct tester_score *score)
{
	json_t *array = json_array();

	for (size_t i = 0; i < score->count; i++) {
		json_t *item = json_object();

		rt_json_set_text(ctx, item, "rule", rules[score->applied[i]].name);
		rt_json_set(item, "score", tester_tenths_json(rules[score->applied[i]].tenths));
		rt_json_append(array, item);
	}
	return array;
}
