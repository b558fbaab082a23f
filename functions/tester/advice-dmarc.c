#include <string.h>

#include "functions/tester/advice.h"

static const char several_records[] = "dmarc-several-records";

static void advise_none(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;
	const char *domain = analysis->from.domains[0];
	struct advice *item;

	if (eds_finding_has(&dmarc->warnings, several_records))
		return; /* the warning says it */
	if (dmarc->record[0] != '\0') {
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-unusable",
			"The DMARC record of %s has neither a valid p= nor a valid rua=, so it "
			"has no effect. Correct it: %s",
			dmarc->record_domain, dmarc->record);
		return;
	}
	item = advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "dmarc-missing",
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
			"DMARC failed and %s asks receivers to reject such mail: most will "
			"refuse this message whatever its score.",
			dmarc->record_domain);
	advice_add(list, ADVICE_ACTION, rules[dmarc->policy], "dmarc-fail",
		"DMARC failed for %s: %s Sign with a DKIM domain that is aligned with it, or use "
		"an aligned envelope sender that SPF authorises.",
		analysis->from.domains[0], dmarc->reason);
}

static void advise_warnings(struct advice_list *list, const struct eds_dmarc_result *dmarc)
{
	for (size_t i = 0; i < dmarc->warnings.count; i++) {
		const struct eds_finding *warning = &dmarc->warnings.items[i];

		if (strcmp(warning->code, several_records) == 0) /* not about the record found */
			advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, warning->code, "%s",
				warning->message);
		else
			advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, warning->code,
				"The DMARC record of %s: %s", dmarc->record_domain,
				warning->message);
	}
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
			advise_none(list, analysis);
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
	advise_warnings(list, dmarc);
}
