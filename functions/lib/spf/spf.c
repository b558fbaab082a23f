#include "functions/lib/spf/spf.h"

#include <string.h>

#include "functions/lib/spf/spf-record.h"

static const char *const code_names[] = {
	[EDS_SPF_NONE] = "none",
	[EDS_SPF_NEUTRAL] = "neutral",
	[EDS_SPF_PASS] = "pass",
	[EDS_SPF_FAIL] = "fail",
	[EDS_SPF_SOFTFAIL] = "softfail",
	[EDS_SPF_TEMPERROR] = "temperror",
	[EDS_SPF_PERMERROR] = "permerror",
};

/* The word that led from one record to the next: "include" or "redirect"; "" for the domain's own
 * record. */
const char *eds_spf_via_name(enum eds_spf_via via)
{
	static const char *const names[] = {
		[EDS_SPF_VIA_NONE] = "",
		[EDS_SPF_VIA_INCLUDE] = "include",
		[EDS_SPF_VIA_REDIRECT] = "redirect",
	};

	return names[via];
}

const char *eds_spf_code_name(enum eds_spf_code code)
{
	return code_names[code];
}
