/* Recognizes file formats that are not read, so that the reason why no report was found can name
 * the format. */
#ifndef EDS_REPORTS_FOREIGN_H
#define EDS_REPORTS_FOREIGN_H

#include "functions/lib/reports/intake.h"

/* True when the octets begin like a file in a known format that is not read, such as xz, 7z or
 * Outlook's .msg; then keeps the reason, which names the format. */
bool eds_intake_foreign(
	struct eds_intake *intake, const char *bytes, size_t length, const char *file);

#endif
