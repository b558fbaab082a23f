#include "functions/reports/rows/row-names.h"

const char *report_disposition_name(enum eds_report_disposition disposition)
{
	static const char *const names[] = {
		[EDS_DISPOSITION_UNKNOWN] = "unknown",
		[EDS_DISPOSITION_NONE] = "none",
		[EDS_DISPOSITION_PASS] = "pass",
		[EDS_DISPOSITION_QUARANTINE] = "quarantine",
		[EDS_DISPOSITION_REJECT] = "reject",
	};

	return disposition < EDS_DISPOSITIONS ? names[disposition] : names[0];
}

const char *report_class_name(enum eds_report_class class)
{
	static const char *const names[] = {
		[EDS_CLASS_FAILED] = "failed",
		[EDS_CLASS_PASSED] = "passed",
		[EDS_CLASS_FORWARDED] = "forwarded",
	};

	return names[class];
}
