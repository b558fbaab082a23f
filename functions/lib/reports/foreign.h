/* Formats that are not read, recognized so that the reason can name them. */
#ifndef EDS_REPORTS_FOREIGN_H
#define EDS_REPORTS_FOREIGN_H

#include "functions/lib/reports/intake.h"

/* True when the octets begin like a file in one of these formats; keeps the reason. */
bool eds_intake_foreign(
	struct eds_intake *intake, const char *bytes, size_t length, const char *file);

#endif
