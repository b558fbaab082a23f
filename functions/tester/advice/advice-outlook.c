#include <string.h>

#include "functions/tester/advice/advice-outlook.h"
#include "functions/tester/advice/advice.h"
#include "functions/tester/requirements/requirements-form.h"

static void advise(struct advice_list *list, const struct analysis *analysis,
	enum requirement requirement, const char *code)
{
	const struct demand *demand = &analysis->requirements.demands[requirement][PROVIDER_GMAIL];
	const char *refusers = requirement_refusers(requirement);

	if (!eds_finding_has(&analysis->outlook.refused, requirement_name(requirement)))
		return;
	advice_add(list, ADVICE_URGENT, TESTER_NO_RULE, code,
		"%s Until then %s refuse%s the message.", demand->advice, refusers,
		strchr(refusers, ' ') != NULL ? "" : "s");
}

void advice_outlook(struct advice_list *list, const struct analysis *analysis)
{
	advise(list, analysis, REQUIRE_SPF_OR_DKIM, "receivers-refuse");
	/* advice_headers() has the advice on a missing Message-ID */
	if (form_is_refused_by_all(analysis))
		advise(list, analysis, REQUIRE_FORM, "receivers-refuse");
	advise(list, analysis, REQUIRE_TLS, "tls-missing");
}
