#include "functions/tester/advice.h"

static void advise_missing(struct advice_list *list, const struct analysis *analysis)
{
	const char *domain = analysis->from.domains[0];
	struct advice *item = advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-missing",
		"%s publishes no DMARC record. Begin with one that only asks for reports.", domain);

	item->record = (struct advice_record){
		.name = rt_printf(list->ctx, "_dmarc.%s", domain),
		.type = "TXT",
		.value = rt_printf(
			list->ctx, "v=DMARC1; p=none; rua=mailto:dmarc-reports@%s", domain),
	};
}

static void advise_fail(struct advice_list *list, const struct analysis *analysis)
{
	static const enum tester_rule rules[] = {
		[EDS_DMARC_P_NONE] = DMARC_FAIL_NONE,
		[EDS_DMARC_P_QUARANTINE] = DMARC_FAIL_QUARANTINE,
		[EDS_DMARC_P_REJECT] = DMARC_FAIL_REJECT,
	};
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;

	if (dmarc->policy == EDS_DMARC_P_REJECT)
		advice_add(list, ADVICE_URGENT, TESTER_NO_RULE, "receivers-reject",
			"DMARC failed and %s asks receivers to reject such mail: most will refuse "
			"this message whatever its score.",
			dmarc->record_domain);
	advice_add(list, ADVICE_ACTION, rules[dmarc->policy], "dmarc-fail",
		"DMARC failed for %s: %s Sign with a DKIM domain that is aligned with it, or use "
		"an "
		"aligned envelope sender that SPF authorises.",
		analysis->from.domains[0], dmarc->reason);
}

void advice_dmarc(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;

	switch (dmarc->code) {
	case EDS_DMARC_PASS:
		advice_add(list, ADVICE_GOOD, DMARC_PASS, "dmarc-pass", "DMARC passed for %s.",
			analysis->from.domains[0]);
		break;
	case EDS_DMARC_FAIL:
		advise_fail(list, analysis);
		break;
	case EDS_DMARC_NONE:
		if (analysis->from.state == EDS_FROM_ONE)
			advise_missing(list, analysis);
		break;
	case EDS_DMARC_TEMPERROR:
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-temperror",
			"DMARC could not be decided for now: %s", dmarc->reason);
		break;
	case EDS_DMARC_PERMERROR:
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-permerror",
			"DMARC cannot be applied: %s Send with exactly one domain in From.",
			dmarc->reason);
		break;
	}
	for (size_t i = 0; i < dmarc->warnings.count; i++)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, dmarc->warnings.items[i].code,
			"The DMARC record of %s: %s", dmarc->record_domain,
			dmarc->warnings.items[i].message);
}
