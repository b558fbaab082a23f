#include "functions/tester/scoring.h"

static void apply_spf(struct analysis *analysis)
{
	switch (analysis->spf.code) {
	case EDS_SPF_PASS:
		tester_rule_apply(&analysis->score, SPF_PASS);
		break;
	case EDS_SPF_SOFTFAIL:
		tester_rule_apply(&analysis->score, SPF_SOFTFAIL);
		break;
	case EDS_SPF_FAIL:
		tester_rule_apply(&analysis->score, SPF_FAIL);
		break;
	case EDS_SPF_PERMERROR:
		tester_rule_apply(&analysis->score, SPF_PERMERROR);
		break;
	case EDS_SPF_TEMPERROR:
		tester_rule_apply(&analysis->score, SPF_TEMPERROR);
		break;
	case EDS_SPF_NONE:
	case EDS_SPF_NEUTRAL:
		break;
	}
}

/* Each valid signature counts; all invalid ones together count once. An invalid signature under a
 * testing key (t=y), or one that could not be checked because a lookup failed, does not count. */
static void apply_dkim(struct analysis *analysis)
{
	const struct eds_dkim_result *dkim = &analysis->dkim;
	bool invalid = false;

	for (size_t i = 0; i < dkim->count; i++) {
		if (dkim->signatures[i].state == EDS_DKIM_VALID)
			tester_rule_apply(&analysis->score, DKIM_VALID);
		invalid |= dkim->signatures[i].state == EDS_DKIM_INVALID;
	}
	if (invalid)
		tester_rule_apply(&analysis->score, DKIM_INVALID);
}

static void apply_dmarc(struct analysis *analysis)
{
	static const enum tester_rule fails[] = {
		[EDS_DMARC_P_NONE] = DMARC_FAIL_NONE,
		[EDS_DMARC_P_QUARANTINE] = DMARC_FAIL_QUARANTINE,
		[EDS_DMARC_P_REJECT] = DMARC_FAIL_REJECT,
	};
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;

	if (!dmarc->has_record)
		return;
	if (dmarc->code == EDS_DMARC_PASS)
		tester_rule_apply(&analysis->score, DMARC_PASS);
	else if (dmarc->code == EDS_DMARC_FAIL)
		tester_rule_apply(&analysis->score, fails[dmarc->policy]);
}

static void apply_ptr(struct analysis *analysis)
{
	if (analysis->ptr.state == PTR_STATE_MISSING)
		tester_rule_apply(&analysis->score, PTR_MISSING);
	else if (analysis->ptr.state == PTR_STATE_MISMATCH)
		tester_rule_apply(&analysis->score, PTR_MISMATCH);
	else if (analysis->ptr.state == PTR_STATE_VALID)
		tester_rule_apply(&analysis->score, PTR_VALID);
}

static void apply_mx(struct analysis *analysis)
{
	if (analysis->mx.state == EDS_MX_STATE_NONE)
		tester_rule_apply(&analysis->score, MX_NONE);
	else if (analysis->mx.state == EDS_MX_STATE_INVALID)
		tester_rule_apply(&analysis->score, MX_INVALID);
}

static void apply_lists(struct analysis *analysis)
{
	static const enum tester_rule rules[RT_DNSBL_KINDS] = {
		[RT_DNSBL_COMBINED] = BLOCKLIST_COMBINED,
		[RT_DNSBL_RELAY] = BLOCKLIST_RELAY,
		[RT_DNSBL_REPUTATION] = BLOCKLIST_REPUTATION,
		[RT_DNSBL_REPORTED] = BLOCKLIST_REPORTED,
	};

	for (size_t i = 0; i < RT_DNSBL_KINDS; i++)
		if (analysis->lists[i].state == EDS_DNSBL_LISTED)
			tester_rule_apply(&analysis->score, rules[i]);
}

/* An unreadable Date counts as a missing one. */
static void apply_headers(struct analysis *analysis)
{
	if (analysis->headers.message_id_missing)
		tester_rule_apply(&analysis->score, MISSING_MID);
	if (analysis->headers.date == DATE_MISSING || analysis->headers.date == DATE_UNREADABLE)
		tester_rule_apply(&analysis->score, MISSING_DATE);
	else if (analysis->headers.date == DATE_FUTURE)
		tester_rule_apply(&analysis->score, DATE_IN_FUTURE);
}

void scoring_apply(struct analysis *analysis)
{
	apply_spf(analysis);
	apply_dkim(analysis);
	apply_dmarc(analysis);
	apply_ptr(analysis);
	apply_mx(analysis);
	apply_lists(analysis);
	apply_headers(analysis);
}
