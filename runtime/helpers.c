#include "runtime/helpers.h"

/* infra/package/pack reads this list too, to put a function's helpers into its package. */
const struct rt_helper rt_helpers[RT_HELPERS] = {
	{"eds-verifier", true,
		{"tester-analyze", "tester-session-reanalyze", "tester-uploads", "reports-ingest"}},
	{"eds-report-reader", true, {"reports-ingest", "reports-tls-post", "reports-upload"}},
	{"eds-validator", false, {"posture-check", "posture-check-now"}},
};
