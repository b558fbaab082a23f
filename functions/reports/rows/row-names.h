/* The API's names for the disposition and the class of a row. */
#ifndef EDS_REPORTS_ROW_NAMES_H
#define EDS_REPORTS_ROW_NAMES_H

#include "functions/lib/reports/report.h"

/* Give "none", "quarantine", …; and "passed", "forwarded", "failed". */
const char *report_disposition_name(enum eds_report_disposition disposition);
const char *report_class_name(enum eds_report_class class);

#endif
